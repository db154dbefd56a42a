import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createBus, type Bus } from '@chainwatch/bus';
import { createDatabase, type Database } from '@chainwatch/db';
import type { DeliveryOptions } from '@chainwatch/deliveries';
import { createDial, createGuardedAgent } from '@chainwatch/outbound';
import { startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/testing-stack';
import { startNotifier, type Notifier, type NotifierDependencies } from './start-notifier.ts';

const CHAIN = 'eip155:31337';
export const SECRET = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';

/** A webhook endpoint whose answer a test decides. */
export interface Receiver {
  readonly url: string;
  readonly requests: {
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
    readonly atMs: number;
  }[];
  /** Default: 200. */
  answer: (req: IncomingMessage, res: ServerResponse) => void;
  readonly sockets: Set<Socket>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const requests: Receiver['requests'] = [];
  const sockets = new Set<Socket>();
  const receiver = { requests, sockets, answer: (_req, res) => void res.end('ok') } as Pick<
    Receiver,
    'requests' | 'answer' | 'sockets'
  >;
  const server: Server = createServer((req, res) => {
    const atMs = Date.now();
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      requests.push({
        url: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        atMs,
      });
      receiver.answer(req, res);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

export interface World {
  readonly db: Database;
  readonly bus: Bus<'tx-analyzer'>;
  readonly projectId: string;
  /** Names its servers to a process of its own. */
  readonly environment: { readonly DATABASE_URL: string; readonly NATS_URL: string };
  addChannel(
    url: string,
    more?: {
      kind?: string;
      config?: object;
      credentials?: object;
      secrets?: readonly string[];
      id?: string;
      projectId?: string;
    },
  ): Promise<string>;
  addProject(): Promise<string>;
  /** Commits an event; and publishes it unless told otherwise. Returns the event id. */
  emit(more?: {
    type?: string;
    isPublished?: boolean;
    projectId?: string;
    transfers?: readonly object[];
    traceparent?: string;
  }): Promise<string>;
  start(options?: Partial<DeliveryOptions>, more?: Partial<NotifierDependencies>): Promise<Notifier>;
  waitForStatus(eventId: string, status: string, timeoutMs?: number): Promise<void>;
  rows<T extends object>(sql: string, values?: unknown[]): Promise<T[]>;
  stop(): Promise<void>;
}

/** Servers for a spec file; a database, a receiver and a world for each of its tests. */
export function giveWorlds(
  take: (given: { readonly world: World; readonly receiver: Receiver }) => void,
): void {
  let servers: readonly [PostgresHandle, NatsHandle];
  let world: World | undefined;
  let receiver: Receiver | undefined;
  beforeAll(async () => {
    servers = await Promise.all([startPostgres(), startNats()]);
  }, 60_000);
  afterAll(() => Promise.all(servers.map((server) => server.stop())));
  beforeEach(async () => {
    const [postgres, nats] = servers;
    [world, receiver] = [await createWorld(await postgres.createDatabase(), nats.url), await startReceiver()];
    take({ world, receiver });
  });
  afterEach(async () => {
    // Receivers go first, so that a hanging one does not hold up the graceful stop.
    await receiver?.stop();
    await world?.stop();
  });
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Sealing is left out: what the columns hold is the plain text. */
async function createWorld(databaseUrl: string, natsUrl: string): Promise<World> {
  const db = createDatabase({ url: databaseUrl, applicationName: 'notifier-spec' });
  const bus = await createBus('tx-analyzer', { url: natsUrl });
  const projectId = await addProject(db);
  const stops: (() => Promise<void>)[] = [];
  const sequences = new Map<string, number>();
  const rows: World['rows'] = async (sql, values) => (await db.query(sql, values)).rows as never;
  return {
    db,
    bus,
    projectId,
    environment: { DATABASE_URL: databaseUrl, NATS_URL: natsUrl },
    addChannel: (url, more) => addChannel(db, url, { projectId, ...more }),
    addProject: () => addProject(db),
    async emit({
      type = 'transaction.detected',
      isPublished = true,
      projectId: project = projectId,
      transfers = [],
      traceparent,
    } = {}) {
      const eventId = randomUUID();
      const sequence = (sequences.get(project) ?? 0) + 1;
      sequences.set(project, sequence);
      const event = buildEvent(eventId, type, project, sequence, transfers);
      const kind = type === 'transaction.confirmed' ? 'tx.confirmed' : 'tx.detected';
      await db.query(
        `INSERT INTO events (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, traceparent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [eventId, project, CHAIN, type, sequence, kind, JSON.stringify(event), traceparent ?? null],
      );
      if (isPublished)
        await bus.publish(kind, [CHAIN, project], event as never, { messageId: eventId, sequence });
      return eventId;
    },
    async start(options = {}, more = {}) {
      const notifier = await startOne({ databaseUrl, natsUrl }, options, more);
      stops.push(notifier.stop);
      return notifier;
    },
    waitForStatus: (eventId, status, timeoutMs) => waitForStatus(rows, { eventId, status, timeoutMs }),
    rows,
    async stop() {
      for (const stop of stops) await stop();
      await bus.close();
      await db.close();
    },
  };
}

async function addChannel(
  db: Database,
  url: string,
  {
    kind = 'webhook',
    config = {},
    credentials,
    secrets = kind === 'webhook' ? [SECRET] : [],
    id = randomUUID(),
    projectId,
  }: NonNullable<Parameters<World['addChannel']>[1]>,
): Promise<string> {
  await db.query(
    `INSERT INTO notification_channels (id, project_id, kind, name, config, credentials_sealed) VALUES ($1, $2, $5, 'w', $3, $4)`,
    [id, projectId, { url, ...config }, credentials === undefined ? null : JSON.stringify(credentials), kind],
  );
  for (const [position, secret] of secrets.entries()) {
    await db.query(
      `INSERT INTO webhook_secrets (channel_id, secret_sealed, mask, state) VALUES ($1, $2, '', $3)`,
      [id, secret, position === 0 ? 'current' : 'previous'],
    );
  }
  return id;
}

/** A notifier with connections of its own. */
async function startOne(
  { databaseUrl, natsUrl }: { readonly databaseUrl: string; readonly natsUrl: string },
  options: Partial<DeliveryOptions>,
  more: Partial<NotifierDependencies>,
): Promise<Notifier> {
  const db = createDatabase({ url: databaseUrl, applicationName: 'notifier' });
  const bus = await createBus('notifier', { url: natsUrl });
  const dial = createDial({ allow: ['127.0.0.0/8', '::1/128'] });
  const dispatcher = createGuardedAgent(dial, {
    connectTimeoutMs: 10_000,
    headersTimeoutMs: 10_000,
    bodyTimeoutMs: 10_000,
  });
  const notifier = startNotifier({
    db,
    planned: more.db ?? db,
    bus,
    dispatcher,
    dial,
    open: (sealed) => sealed,
    logger: silent,
    userAgent: 'chainwatch-spec',
    options,
    ...more,
  });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await notifier.stop();
    await bus.close();
    await dispatcher.destroy();
    await db.close();
  };
  return { ...notifier, stop };
}

async function waitForStatus(
  rows: World['rows'],
  { eventId, status, timeoutMs }: { eventId: string; status: string; timeoutMs: number | undefined },
): Promise<void> {
  let seen: { status: string }[] = [];
  await waitFor(
    async () => {
      seen = await rows('SELECT status, last_error, attempt_count FROM deliveries WHERE event_id = $1', [
        eventId,
      ]);
      return seen.length > 0 && seen.every((row) => row.status === status);
    },
    {
      timeoutMs,
      message: () => `deliveries of ${eventId} to be ${status}, they are ${JSON.stringify(seen)}`,
    },
  );
}

async function addProject(db: Database): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
  );
  return rows[0]!.id;
}

function buildEvent(
  eventId: string,
  type: string,
  projectId: string,
  sequence: number,
  transfers: readonly object[],
): object {
  const at = new Date().toISOString();
  const transaction = {
    id: randomUUID(),
    chain_gid: CHAIN,
    hash: `0x${sequence}`,
    status: 'detected',
    direction: 'in',
    block_number: 1,
    block_hash: '0x1',
    block_timestamp: at,
    tx_index: 0,
    confirmations: 1,
    required_confirmations: 12,
    fee: null,
    transfers,
    replaced_by: null,
    verification: 'proved',
    detected_at: at,
    confirmed_at: null,
    reorged_at: null,
  };
  return {
    event_id: eventId,
    type,
    api_version: 'v1',
    created_at: at,
    is_test_message: false,
    project_id: projectId,
    sequence,
    data: { transaction, balance_changes: [], truncated: false },
  };
}
