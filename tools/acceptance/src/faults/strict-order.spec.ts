// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createSealer } from '@chainwatch/platform/secrets';
import { startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import {
  createDeliveryRows,
  findOvertakes,
  startPostgres,
  startReceiver,
  type DeliveryRows,
  type Receiver,
  type Seen,
} from '@chainwatch/data/testing';
import { addProjects } from '../deliveries/event-source.ts';
import { Random } from '../random.ts';
import { Services } from '../services.ts';

/** So many that each of two notifiers has some. */
const CHANNELS = 24;
const KILLS = Number(process.env['CRASH_KILLS'] ?? 20);
const SEED = Number(process.env['SOAK_SEED'] ?? 4242);
const ADDRESSES = ['a0', 'a1', 'a2'];
/** Longer than a lease: the other one takes the channels over. */
const STANDSTILL_MS = 11_000;

interface Line {
  readonly projectId: string;
  readonly key: 'channel' | 'address';
  readonly log: Seen[];
  /** Of all its events, in order. */
  readonly emitted: { readonly eventId: string; readonly address: string }[];
}

const random = new Random(SEED);
let postgres: PostgresHandle;
let nats: NatsHandle;
let rows: DeliveryRows;
let services: Services;
let receiver: Receiver;
let lines: Map<string, Line>;
/** In a hundred requests. */
let failures = 25;

beforeAll(async () => {
  const key = randomBytes(32).toString('base64');
  const sealer = createSealer({ keys: { test: key }, activeKeyId: 'test' });
  [postgres, nats, receiver] = await Promise.all([startPostgres(), startNats(), startReceiver()]);
  rows = await createDeliveryRows(postgres.url);
  services = new Services({
    ...postgres.serviceEnv,
    NATS_URL: nats.url,
    SECRETS_KEYS: `test:${key}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    WEBHOOK_RETRY_SCHEDULE: ['0', ...Array<string>(99).fill('100ms')].join(','),
    WEBHOOK_PROBE_INTERVAL: '100ms',
  });
  const secretSealed = (id: string): string =>
    sealer.seal('svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST', `webhook_secret:${id}`);
  const projectIds = await addProjects(
    rows.db,
    Array.from({ length: CHANNELS }, () => ({ url: receiver.url, secretSealed })),
  );
  lines = new Map(
    projectIds.map((projectId, index) => {
      const orderingKey = index % 2 === 0 ? 'channel' : 'address';
      return [projectId, { projectId, key: orderingKey, log: [], emitted: [] }];
    }),
  );
  for (const { projectId, key: orderingKey } of lines.values())
    await rows.db.query(`UPDATE notification_channels SET config = config || $2 WHERE project_id = $1`, [
      projectId,
      { ordering: 'strict', ordering_key: orderingKey },
    ]);
  receiver.answer = answer;
  await services.start(['notifier', 'notifier-2']);
});
afterAll(async () => {
  await services.stop();
  await rows.db.close();
  await Promise.all([receiver.stop(), nats.stop(), postgres.stop()]);
});

/** Takes an event, refuses it, or hangs up, after a moment. */
const answer: Receiver['answer'] = (_req, res) => {
  const event = JSON.parse(receiver.requests.at(-1)!.body) as { event_id: string; project_id: string };
  const { log } = lines.get(event.project_id)!;
  log.push({ what: 'attempt', eventIds: [event.event_id] });
  const fate = random.int(1, 100);
  setTimeout(
    () => {
      if (fate <= failures / 2) return res.destroy();
      res.statusCode = fate <= failures ? 500 : 204;
      if (fate > failures) log.push({ what: 'acknowledgement', eventIds: [event.event_id] });
      return res.end();
    },
    random.int(0, 30),
  );
};

async function emitSome(): Promise<void> {
  for (const { projectId, emitted } of lines.values())
    for (let count = random.int(1, 4); count > 0; count -= 1) {
      const address = random.pick(ADDRESSES);
      const { eventId } = await rows.insertEvent({ projectId, addresses: [{ address }] });
      emitted.push({ eventId, address });
    }
}

async function strike(kill: number): Promise<void> {
  const name = random.pick(['notifier', 'notifier-2'] as const);
  if (kill % 7 === 3) {
    services.signal(name, 'SIGSTOP');
    await emitSome();
    await delay(STANDSTILL_MS);
    services.signal(name, 'SIGCONT');
  } else {
    await services.kill(name);
    await delay(random.int(0, 300));
    await services.restart(name);
  }
}

/** What has an order of its own. */
function ordersOf({ key, emitted }: Line): string[][] {
  const groups =
    key === 'channel' ? [emitted] : ADDRESSES.map((one) => emitted.filter(({ address }) => address === one));
  return groups.map((group) => group.map(({ eventId }) => eventId));
}

it(`keeps a strict order through ${KILLS} kills and standstills of two notifiers`, async () => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    await emitSome();
    await delay(random.int(0, 800));
    await strike(kill);
  }
  await Promise.all((['notifier', 'notifier-2'] as const).map((name) => services.waitReady(name)));
  failures = 0;
  await waitFor(
    async () =>
      (
        await rows.rows(
          `SELECT FROM deliveries WHERE status <> 'delivered' UNION ALL SELECT FROM undispatched_events`,
        )
      ).length === 0,
    { timeoutMs: 60_000, message: 'all to be delivered' },
  );
  for (const line of lines.values()) {
    expect([line.key, findOvertakes(line.log, ordersOf(line))]).toEqual([line.key, []]);
    const taken = new Set(
      line.log.flatMap(({ what, eventIds }) => (what === 'acknowledgement' ? eventIds : [])),
    );
    expect(taken).toEqual(new Set(line.emitted.map(({ eventId }) => eventId)));
  }
}, 600_000);
