// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { startNatsCluster, waitFor } from '@chainwatch/testing';
import { findDisagreements } from '../compare.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';

/** Streams on three servers, one of which dies again and again while payments flow. */
const KILLS = Number(process.env['SOAK_KILLS'] ?? 30);
const BETWEEN_KILLS_MS = 20_000;
const AWAY_MS = 6_000;
const PAY_MS = 250;

const chain = new EvmChain({ epochBlocks: 8 });
let cluster: Awaited<ReturnType<typeof startNatsCluster>>;
let harness: Harness<EvmChain>;

beforeAll(async () => {
  cluster = await startNatsCluster();
  harness = new Harness(chain, {
    env: { NATS_URL: cluster.url, NATS_REPLICAS: '3', WEBHOOK_CONCURRENCY_PER_CHANNEL: '1' },
  });
  await harness.start();
});
afterAll(async () => {
  await harness?.stop();
  await cluster?.stop();
});

async function readReplicas(): Promise<Record<string, number>> {
  const stranger = await connect({ servers: cluster.url.split(',') });
  const replicas: Record<string, number> = {};
  for await (const { config } of (await jetstreamManager(stranger)).streams.list())
    replicas[config.name] = config.num_replicas;
  await stranger.close();
  return replicas;
}

async function payUntil(deadlineMs: number): Promise<void> {
  while (Date.now() < deadlineMs) {
    await chain.payPayee();
    await chain.mine(1);
    await delay(PAY_MS);
  }
}

/** Of each project and chain, as they came: a later one before an earlier one. */
function findOvertaking(): string[] {
  const last = new Map<string, number>();
  const faults: string[] = [];
  for (const { eventId, sequence, body } of harness.receiver.events.values()) {
    const project = String(body['project_id']);
    const before = last.get(project) ?? 0;
    if (sequence === null) continue;
    if (sequence < before) faults.push(`event ${eventId} with sequence ${sequence} came after ${before}`);
    last.set(project, Math.max(before, sequence));
  }
  return faults;
}

it(`loses nothing, tells nothing twice and keeps the order while ${KILLS} times a server of three dies`, async () => {
  expect(await readReplicas()).toMatchObject({ tx: 3, balance: 3, block: 3 });
  const { project } = harness;
  const watched = [await harness.watch(chain.payee)];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const server = cluster.servers[kill % cluster.servers.length]!;
    const paying = payUntil(Date.now() + BETWEEN_KILLS_MS);
    await server.kill9();
    await delay(AWAY_MS);
    await server.restart();
    await paying;
  }
  await harness.settle();
  expect(await findDisagreements(harness, project, watched)).toEqual([]);
  const { rows } = await harness.db.query<{ event_id: string }>(
    'SELECT event_id FROM event_log WHERE project_id = $1 AND chain_gid = $2 ORDER BY sequence',
    [project.id, chain.gid],
  );
  await waitFor(() => harness.receiver.events.size >= rows.length);
  expect([...harness.receiver.events.keys()]).toEqual(rows.map(({ event_id: id }) => id));
  expect([harness.receiver.faults, findOvertaking()]).toEqual([[], []]);
}, 3_600_000);
