// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { startNatsCluster, waitFor } from '@chainwatch/testing';
import { serviceNames } from '../../../stack/services.mjs';
import { findDisagreements } from '../compare.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import { startListener, startPoller } from '../faults/event-readers.ts';
import { Fleet, type Replica, type Service } from '../fleet.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { freePort } from '../services.ts';
import { Payer, type ToldPayment } from './payer.ts';
import { PostgresPair } from './postgres-pair.ts';
import { readStages } from './read-stages.ts';

/** 30 for the proof of issue K. */
const MINUTES = Number(process.env['SCALE_MINUTES'] ?? 5);
const REPLICAS = Number(process.env['SCALE_REPLICAS'] ?? 2);
/** Only those whose name holds one of these, to look into them. */
const ONLY = (process.env['SCALE_ONLY'] ?? '').split(',');
const SEED = Number(process.env['SOAK_SEED'] ?? 7);
/** Of the guides: until what a dead replica or server did is done by another, and until a standby is promoted. */
const TAKE_OVER_MS = 10_000;
const PROMOTION_MS = 30_000;
/** After each blow, so that the next one finds everything in order. */
const CALM_MS = 12_000;
const AWAY_MS = 6_000;

const chain = new EvmChain({ epochBlocks: 8 });
const pair = new PostgresPair();
const random = new Random(SEED);
const services = serviceNames as Service[];
let cluster: Awaited<ReturnType<typeof startNatsCluster>>;
let harness: Harness<EvmChain>;
let payer: Payer;
const fleet = new Fleet(() => harness.services);

beforeAll(async () => {
  cluster = await startNatsCluster();
  harness = new Harness(chain, {
    openPostgres: () => pair.open(),
    balance: (port) => fleet.adopt('api-gateway', port),
    env: { NATS_URL: cluster.url, NATS_REPLICAS: '3', DRAIN_DELAY: '5s' },
  });
  await harness.start();
  const running = new Set<string>(harness.serviceNames);
  for (const service of services) {
    if (service !== 'api-gateway' && running.has(service)) await fleet.adopt(service);
    if (service === 'rpc-proxy') await fleet.adopt(service, await startProxy());
    while (fleet.replicasOf(service).length < REPLICAS) await fleet.add(service);
  }
});
afterAll(async () => {
  await payer?.stop();
  await harness?.stop();
  await fleet.stop();
  await cluster?.stop();
});

async function startProxy(): Promise<number> {
  const port = await freePort();
  await harness.services.start(['rpc-proxy'], { PORT: String(port) });
  return port;
}

interface Blow {
  readonly name: string;
  readonly limitMs: number;
  strike(): Promise<void>;
}

const replace = async (service: Service): Promise<void> => {
  const [old] = fleet.replicasOf(service);
  await fleet.add(service);
  expect([old!.name, await fleet.retire(old!)]).toEqual([old!.name, 0]);
};

/** The replica that says that the chain is its own, where one does. */
async function pickVictim(service: Service): Promise<Replica> {
  const replicas = fleet.replicasOf(service);
  for (const replica of replicas) {
    const { checks } = await harness.services.readiness(replica.name);
    const status = checks[`chain ${chain.gid}`]?.status;
    if (service !== 'api-gateway' && !['standby', 'unknown', undefined].includes(status)) return replica;
  }
  return random.pick(replicas);
}

/** One after the other, again and again. */
const ALL_BLOWS: readonly Blow[] = [
  { name: 'nothing', limitMs: TAKE_OVER_MS, strike: async () => undefined },
  ...services.map(
    (service): Blow => ({
      name: `SIGKILL of ${service}`,
      limitMs: TAKE_OVER_MS,
      strike: async () => fleet.kill(await pickVictim(service)),
    }),
  ),
  {
    name: 'SIGKILL of a NATS server',
    limitMs: TAKE_OVER_MS,
    async strike() {
      const server = random.pick(cluster.servers);
      await server.kill9();
      await delay(AWAY_MS);
      await server.restart();
    },
  },
  {
    name: 'SIGKILL of Redis',
    limitMs: TAKE_OVER_MS,
    async strike() {
      await harness.redis.kill9();
      await delay(AWAY_MS);
      await harness.redis.restart();
    },
  },
  { name: 'promotion of the standby', limitMs: PROMOTION_MS, strike: () => pair.failOver() },
  { name: 'a new standby', limitMs: PROMOTION_MS, strike: () => pair.repair() },
  { name: 'restart of the standby', limitMs: PROMOTION_MS, strike: () => pair.restartStandby() },
  {
    name: 'rolling restart of everything',
    limitMs: TAKE_OVER_MS,
    async strike() {
      for (const service of services)
        for (let replica = 0; replica < REPLICAS; replica += 1) await replace(service);
    },
  },
];
const BLOWS = ALL_BLOWS.filter(({ name }) => ONLY.some((part) => name.includes(part)));

it(
  `loses nothing and tells nothing under a second id in ${MINUTES} minutes in which every node dies in turn`,
  async () => {
    const { project, receiver } = harness;
    const watched = [await harness.watch(chain.payee)];
    const source = { apiUrl: harness.apiUrl, key: project.key };
    const readers = [startPoller(source), startListener(source)];
    payer = new Payer(chain, receiver);
    const struck: { readonly blow: Blow; readonly fromMs: number; readonly toMs: number }[] = [];
    const deadline = Date.now() + MINUTES * 60_000;
    for (let turn = 0; turn < BLOWS.length || Date.now() < deadline; turn += 1) {
      const blow = BLOWS[turn % BLOWS.length]!;
      const fromMs = Date.now();
      await blow.strike();
      await delay(CALM_MS);
      struck.push({ blow, fromMs, toMs: Date.now() });
    }
    await payer.stop();
    await harness.settle();
    const { rows } = await harness.db.query<{ event_id: string; position: number }>(
      'SELECT e.event_id, p.position FROM event_positions p JOIN event_log e ON e.id = p.event_row_id WHERE p.project_id = $1 ORDER BY p.position',
      [project.id],
    );
    await waitFor(() => readers.every(({ lastPosition }) => lastPosition >= rows.at(-1)!.position));
    await Promise.all(readers.map((reader) => reader.stop()));
    const times = struck.map(({ blow, fromMs, toMs }) => {
      const slowest = payer.slowest(fromMs, toMs);
      return { blow, slowest, tookMs: slowest?.tookMs ?? 0 };
    });
    await report(times);
    // Everything that the chain says, once, under one id, by webhook and by both ways of reading.
    expect(await findDisagreements(harness, project, watched)).toEqual([]);
    const eventIds = rows.map(({ event_id: id }) => id);
    expect([...receiver.events.keys()].sort()).toEqual([...eventIds].sort());
    for (const reader of readers) expect(reader.eventIds).toEqual(eventIds);
    expect(
      times
        .filter(({ blow, tookMs }) => tookMs > blow.limitMs)
        .map(({ blow, tookMs }) => [blow.name, tookMs]),
    ).toEqual([]);
  },
  (MINUTES + 20) * 60_000,
);

interface Struck {
  readonly blow: Blow;
  readonly slowest: ToldPayment | undefined;
  readonly tookMs: number;
}

/** The payment that waited longest, by what happened meanwhile, and where it waited. */
async function report(times: readonly Struck[]): Promise<void> {
  const lines: string[] = [];
  for (const { name, limitMs } of BLOWS) {
    const ofBlow = times.filter(({ blow }) => blow.name === name);
    const longest = ofBlow.reduce((one, other) => (other.tookMs > one.tookMs ? other : one));
    const count = `${name.padEnd(36)} ${ofBlow.length} times`;
    lines.push(`${count}, slowest payment told after ${longest.tookMs} ms (limit ${limitMs} ms)`);
    for (const { slowest, tookMs } of ofBlow)
      if (slowest !== undefined && tookMs > limitMs / 2)
        lines.push(`    ms after it was mined: ${await readStages(harness.db, slowest)}`);
  }
  const repeated = [...harness.receiver.events.values()].filter(({ deliveryIds }) => deliveryIds.length > 1);
  console.log(
    [
      ...lines,
      `${payer.count} payments, ${harness.receiver.events.size} events, ${repeated.length} delivered more than once under their id`,
    ].join('\n'),
  );
}
