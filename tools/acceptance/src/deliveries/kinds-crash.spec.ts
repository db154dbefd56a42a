// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { createSealer } from '@chainwatch/platform/secrets';
import {
  findKcat,
  findRabbitMq,
  startNats,
  waitFor,
  type NatsHandle,
  type PostgresHandle,
} from '@chainwatch/testing';
import {
  startKafkaDestination,
  startRabbitDestination,
  startRedisDestination,
  type Destination,
} from '@chainwatch/testing/destinations';
import { startPostgres } from '@chainwatch/data/testing';
import { Services } from '../services.ts';
import { EventSource, type MadeEvent } from './event-source.ts';

const KILLS = Number(process.env.KIND_CRASHES ?? 20);
const PAUSE_MS = 800;
const EVENTS_A_STEP = 4;
const STEP_MS = 50;
/** While servers start again, which takes seconds each. */
const SLOW_STEP_MS = 500;
/** The mock cluster of Kafka keeps 5 MB of a partition. */
const EVENTS_MAX = 2_500;
const NAME = 'events';
const ARRIVE_MS_MAX = 60_000;

const KEY = { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'x'.repeat(40) };

type Body = MadeEvent['event'];

/** Where a kind of channel sends to, and what came there, in order. */
interface Place {
  readonly kind: string;
  readonly url: string;
  readonly config: object;
  readonly credentials?: object;
  /** What of an event the order is kept for. */
  readonly keyOf: (event: Body) => string;
  read(): Promise<readonly string[]>;
  restart?: (() => Promise<void>) | undefined;
  stop(): Promise<unknown>;
}

const whole = (): string => '';

async function startBroker(kind: string, start: () => Promise<Destination>): Promise<Place> {
  const destination = await start();
  // Queues are declared by their first reader.
  await destination.read(NAME).catch(() => undefined);
  return {
    kind,
    ...destination.configOf(NAME),
    keyOf: whole,
    read: async () => (await destination.read(NAME)).map(({ body }) => body),
    restart: destination.restart?.bind(destination),
    stop: () => destination.stop(),
  };
}

/** A server of NATS beside the bus of the services. */
async function startStream(): Promise<Place> {
  const server = await startNats();
  const connection = await connect({ servers: server.url });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: NAME, subjects: [`${NAME}.>`] });
  return {
    kind: 'nats',
    url: server.url,
    config: { subject: `${NAME}.x` },
    keyOf: whole,
    async read() {
      const { state } = await manager.streams.info(NAME);
      const bodies: string[] = [];
      for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq += 1)
        bodies.push((await manager.streams.getMessage(NAME, { seq }))!.string());
      return bodies;
    },
    async stop() {
      await connection.close();
      await server.stop();
    },
  };
}

/** A stand-in for both: it takes everything. SQS judges no signature here (sqs-channel.spec.ts does). */
async function startHttp(): Promise<{ batch: Place; sqs: Place }> {
  const lines: string[] = [];
  const messages: string[] = [];
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.headers['x-amz-target'] === undefined) {
        lines.push(...body.trim().split('\n'));
        return response.writeHead(204).end();
      }
      const { MessageBody: message } = JSON.parse(body) as { MessageBody: string };
      messages.push(message);
      const digest = createHash('md5').update(message).digest('hex');
      return response.end(JSON.stringify({ MessageId: 'm', MD5OfMessageBody: digest }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = (): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return {
    batch: {
      kind: 'http_batch',
      ...{ url: `${origin}/batch`, config: { max_events: 50 } },
      ...{ keyOf: whole, read: async () => lines, stop },
    },
    sqs: {
      kind: 'sqs',
      url: origin,
      config: {
        ...{ queue_url: `${origin}/123456789012/queue`, region: 'eu-central-1' },
        auth: { access_key_id: KEY.access_key_id },
      },
      credentials: { auth: KEY },
      // A queue without FIFO in its name keeps no order.
      ...{ keyOf: ({ event_id: id }: Body) => id, read: async () => messages, stop: async () => undefined },
    },
  };
}

const key = randomBytes(32).toString('base64');
const sealer = createSealer({ keys: { test: key }, activeKeyId: 'test' });
let postgres: PostgresHandle;
let nats: NatsHandle;
let db: Database;
let services: Services;
let source: EventSource;
let projectId: string;
let places: Place[];

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres({ isOwn: true }), startNats()]);
  db = createDatabase({ url: postgres.url, applicationName: 'acceptance', poolSize: 3 });
  const { batch, sqs } = await startHttp();
  places = await Promise.all([
    startStream(),
    startBroker('redis_stream', startRedisDestination),
    ...(findRabbitMq() ? [startBroker('rabbitmq', startRabbitDestination)] : []),
    // Of one address here: all events have the same key.
    ...(findKcat() ? [startBroker('kafka', startKafkaDestination)] : []),
  ]);
  places.push(batch, sqs);
  const { rows } = await db.query<{ id: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
  );
  projectId = rows[0]!.id;
  for (const place of places) await addChannel(place);
  services = new Services({
    ...postgres.serviceEnv,
    NATS_URL: nats.url,
    SECRETS_KEYS: `test:${key}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    WEBHOOK_RETRY_SCHEDULE: `0${',300ms'.repeat(9)}${',3s'.repeat(90)}`,
    WEBHOOK_PROBE_INTERVAL: '500ms',
  });
  source = await EventSource.open(db, nats.url);
  await services.start(['notifier', 'notifier-2']);
}, 240_000);
afterAll(async () => {
  await services.stop();
  await source.close();
  await db.close();
  await Promise.all([...places.map((place) => place.stop()), nats.stop(), postgres.stop()]);
});

async function addChannel({ kind, url, config, credentials }: Place): Promise<void> {
  const [channelId, secretId] = [randomUUID(), randomUUID()];
  const sealed =
    credentials === undefined ? null : sealer.seal(JSON.stringify(credentials), `channel:${channelId}`);
  await db.query(
    `INSERT INTO notification_channels (id, project_id, kind, name, config, credentials_sealed) VALUES ($1, $2, $3, $3, $4, $5)`,
    [channelId, projectId, kind, { url, event_types: ['transaction.detected'], ...config }, sealed],
  );
  if (kind === 'http_batch')
    await db.query(
      `INSERT INTO webhook_secrets (id, channel_id, secret_sealed, mask, state) VALUES ($1, $2, $3, '', 'current')`,
      [
        secretId,
        channelId,
        sealer.seal('svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST', `webhook_secret:${secretId}`),
      ],
    );
}

/** Events come all the time until the work is done; then until every place has them. @returns what each read of these */
async function underLoad(
  work: () => Promise<void>,
  stepMs = STEP_MS,
): Promise<Map<string, readonly string[]>> {
  const sent: MadeEvent[] = [];
  let isOver = false;
  const load = (async () => {
    while (!isOver && sent.length < EVENTS_MAX) {
      const made = await source.commit([projectId], EVENTS_A_STEP);
      sent.push(...made);
      // What the bus does not take is found in the table.
      for (const event of made) source.publish(event).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, stepMs));
    }
  })();
  await work();
  isOver = true;
  await load;
  const read = new Map<string, readonly string[]>();
  const wanted = new Set(sent.map(({ eventId }) => eventId));
  for (const place of places) {
    let missing: readonly string[] = [];
    await waitFor(
      async () => {
        const all = await place.read().catch(() => []);
        const idOf = (body: string): string => (JSON.parse(body) as Body).event_id;
        // Not those of a test before.
        const bodies = all.filter((body) => wanted.has(idOf(body)));
        read.set(place.kind, bodies);
        const ids = new Set(bodies.map(idOf));
        missing = [...wanted].filter((id) => !ids.has(id));
        return missing.length === 0;
      },
      {
        ...{ timeoutMs: ARRIVE_MS_MAX, intervalMs: 500 },
        message: () =>
          `${place.kind}: ${missing.length} of ${sent.length} events\n${services.output.slice(-20).join('\n')}`,
      },
    );
  }
  return read;
}

/** The same event has the same bytes, and comes first in the order in which events were made. */
function expectRight(read: ReadonlyMap<string, readonly string[]>): void {
  for (const { kind, keyOf } of places) {
    const known = new Map<string, string>();
    const newest = new Map<string, number>();
    let twice = 0;
    for (const body of read.get(kind)!) {
      const event = JSON.parse(body) as Body;
      const first = known.get(event.event_id);
      if (first !== undefined) {
        twice += 1;
        expect({ kind, body }).toEqual({ kind, body: first });
        continue;
      }
      known.set(event.event_id, body);
      const order = keyOf(event);
      const sequence = event.sequence ?? 0;
      const last = newest.get(order) ?? 0;
      expect([kind, sequence]).toEqual([kind, Math.max(sequence, last)]);
      newest.set(order, sequence);
    }
    process.stdout.write(`${kind}: ${known.size} events, ${twice} more than once\n`);
  }
}

test(`${KILLS} kills of two notifiers: every kind gets each event, in order, and more than once only with the same id`, async () => {
  const read = await underLoad(async () => {
    for (let count = 0; count < KILLS; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      await services.restart(count % 2 === 0 ? 'notifier' : 'notifier-2');
    }
  });
  expectRight(read);
}, 600_000);

test(`${KILLS} kills of RabbitMQ, Redis, and notifiers: in a strict order nothing overtakes, and nothing is lost`, async () => {
  await db.query(`UPDATE notification_channels SET config = config || '{"ordering": "strict"}'`);
  const servers = places.filter(({ restart }) => restart !== undefined);
  const read = await underLoad(async () => {
    for (let count = 0; count < KILLS; count += 1) {
      await Promise.all([
        servers[count % servers.length]!.restart!(),
        services.restart(count % 2 === 0 ? 'notifier' : 'notifier-2'),
      ]);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }, SLOW_STEP_MS);
  expectRight(read);
}, 900_000);
