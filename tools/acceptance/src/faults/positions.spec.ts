// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from '../../../db/src/bootstrap.ts';
import { freePort, Services } from '../services.ts';
import { startListener, startPoller, type EventReader } from './event-readers.ts';

const WRITERS = 8;
/** Rounds of kills: the gateway, the notifiers, the database, in turn. */
const rounds = Number(process.env.POSITION_ROUNDS ?? 2);
/** What is written between two kills. */
const EVENTS_BETWEEN = 150;
const SETTLE_MS = 90_000;

let postgres: PostgresHandle;
let nats: NatsHandle;
let db: Database;
let services: Services;
let projectId: string;
let readers: EventReader[];
let source: { apiUrl: string; key: string };

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres({ isOwn: true }), startNats()]);
  db = createDatabase({ url: postgres.url, applicationName: 'acceptance', poolSize: 3 });
  const made = await bootstrap(db, { label: 'svc' });
  projectId = made.projectId;
  const port = await freePort();
  services = new Services({
    ...postgres.serviceEnv,
    NATS_URL: nats.url,
    PORT: String(port),
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    RATE_LIMIT_API: '1000000',
    LOG_LEVEL: 'warn',
  });
  await services.start(['api-gateway', 'notifier', 'notifier-2']);
  source = { apiUrl: `http://127.0.0.1:${port}/v1`, key: made.keys.api };
});
afterAll(async () => {
  await services.stop();
  await db.close();
  await Promise.all([nats.stop(), postgres.stop()]);
});

/** Writes in transactions that overlap, and commits them in any order. What a lost server did with the last one it does not know. */
class Writer {
  static written = 0;
  readonly #url: string;
  #isStopped = false;
  readonly #running: Promise<void>;

  constructor(url: string) {
    this.#url = url;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: 2_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        while (!this.#isStopped) await this.#write(client);
      } catch {
        await delay(50);
      }
      await client.end().catch(() => undefined);
    }
  }

  async #write(client: pg.Client): Promise<void> {
    await client.query('BEGIN');
    const count = randomInt(1, 4);
    for (let index = 0; index < count; index += 1) {
      await insert(client);
      await delay(randomInt(0, 20));
    }
    await client.query(randomInt(10) === 0 ? 'ROLLBACK' : 'COMMIT');
    Writer.written += count;
  }
}

async function insert(client: pg.Client): Promise<void> {
  const eventId = randomUUID();
  const event = {
    event_id: eventId,
    type: 'balance.changed',
    api_version: 'v1',
    created_at: new Date().toISOString(),
    is_test_message: false,
    project_id: projectId,
    sequence: 1,
    data: {},
  };
  await client.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload) VALUES ($1, $2, 'eip155:31337', 'balance.changed', 1, 'balance.changed', $3)`,
    [eventId, projectId, JSON.stringify(event)],
  );
}

async function writeMore(): Promise<void> {
  const until = Writer.written + EVENTS_BETWEEN;
  await waitFor(() => Writer.written >= until, { timeoutMs: SETTLE_MS, message: 'the writers to go on' });
}

test(
  'who polls and who listens gets each event of eight writers exactly once, in order of position, through kills of gateway, notifiers and database',
  async () => {
    const writers = Array.from({ length: WRITERS }, () => new Writer(postgres.url));
    readers = [startPoller(source), startListener(source)];
    try {
      for (let round = 0; round < rounds; round += 1) {
        await writeMore();
        await services.restart('api-gateway');
        await writeMore();
        await services.restart('notifier');
        await writeMore();
        await Promise.all([services.restart('notifier'), services.restart('notifier-2')]);
        await writeMore();
        await postgres.server!.crash();
        await postgres.server!.restart();
        await writeMore();
      }
    } finally {
      await Promise.all(writers.map((writer) => writer.stop()));
    }
    const { rows } = await db.query<{ event_id: string }>('SELECT event_id FROM event_log');
    const committed = rows.map((row) => row.event_id).sort();
    const lastPosition = async (): Promise<number> => {
      const found = await db.query<{ last: number; left: number }>(
        'SELECT last_position AS last, (SELECT count(*) FROM unpositioned_events) AS left FROM project_positions',
      );
      return found.rows[0]!.left === 0 ? found.rows[0]!.last : Number.POSITIVE_INFINITY;
    };
    await waitFor(
      async () => {
        const last = await lastPosition();
        return readers.every((reader) => reader.lastPosition === last);
      },
      {
        timeoutMs: SETTLE_MS,
        message: () =>
          `the readers to arrive, they are at ${readers.map((reader) => reader.lastPosition).join()}\n${services.output.slice(-20).join('\n')}`,
      },
    );
    await Promise.all(readers.map((reader) => reader.stop()));
    console.log(`${committed.length} events; cut off ${readers.map(({ cuts }) => cuts).join(' and ')} times`);
    for (const { eventIds, positions, cuts } of readers) {
      expect([...eventIds].sort()).toEqual(committed);
      expect(positions.every((position, index) => index === 0 || position > positions[index - 1]!)).toBe(
        true,
      );
      // Otherwise nothing was proved.
      expect(cuts).toBeGreaterThanOrEqual(rounds);
    }
    // Two readers, one order.
    expect(readers[1]!.eventIds).toEqual(readers[0]!.eventIds);
  },
  120_000 + rounds * 120_000 + SETTLE_MS,
);
