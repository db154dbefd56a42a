import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/db';
import { startAnvil, startNats, startPostgres, startRedis } from '@chainwatch/testing';
import type { Hex } from 'viem';
import { bootstrap } from '../../db/src/bootstrap.ts';
import { ChainActor, type NodeRpc } from './chain-actor.ts';
import { Receiver } from './receiver.ts';
import type { Watched } from './script.ts';
import { Services, freePort, type ServiceName } from './services.ts';

export const CHAIN = 'eip155:31337';
export const ALL_SERVICES: readonly ServiceName[] = ['api-gateway', 'block-ingestor-evm', 'tx-analyzer', 'balance-service', 'notifier'];
const ALL_EVENTS = ['transaction.detected', 'transaction.confirmed', 'transaction.reorged', 'transaction.failed', 'balance.changed'];

/** States stay in memory: anvil 1.7.1 forgets the code of contracts when it reorganises to a state that it moved to disk. */
const ANVIL_ARGS = ['--no-mining', '--order', 'fifo', '--prune-history', '100000'];

export interface HarnessOptions {
  /** The node URL that the service is given; default anvil itself. */
  readonly endpointUrl?: (anvilUrl: string) => Promise<string>;
  /** The honest node is a second endpoint. */
  readonly fallbackToAnvil?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly anvilArgs?: readonly string[];
}

/** A project with a key and one webhook channel for every event type. */
export class Project {
  readonly id: string;
  readonly #apiUrl: string;
  readonly #key: string;

  constructor(id: string, apiUrl: string, key: string) {
    this.id = id;
    this.#apiUrl = apiUrl;
    this.#key = key;
  }

  /** Waits out a gateway that is being restarted: connection refused is not an answer. */
  async request(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const deadline = Date.now() + 30_000;
    for (;;) {
      try {
        const res = await fetch(this.#apiUrl + path, {
          method,
          headers: { 'x-api-key': this.#key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await res.text();
        if (res.status < 500) return { status: res.status, body: text === '' ? undefined : JSON.parse(text) };
        if (Date.now() > deadline) throw new Error(`${method} ${path}: ${res.status} ${text}`);
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.request('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: expected 200, got ${status} ${JSON.stringify(body)}`);
    return body as T;
  }

  async listAll<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await this.get<{ items: T[]; meta: { total_pages: number } }>(`${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`);
      items.push(...answer.items);
      if (page >= answer.meta.total_pages) return items;
    }
  }
}

/** Everything that runs in production, on this machine, with a node that does what the test says. */
export class Harness {
  readonly receiver = new Receiver();
  services!: Services;
  db!: Database;
  nats!: Awaited<ReturnType<typeof startNats>>;
  postgres!: Awaited<ReturnType<typeof startPostgres>>;
  anvil!: Awaited<ReturnType<typeof startAnvil>>;
  actor!: ChainActor;
  project!: Project;
  startBlock = 0;
  #redis!: Awaited<ReturnType<typeof startRedis>>;
  #apiUrl = '';
  readonly #options: HarnessOptions;

  constructor(options: HarnessOptions = {}) {
    this.#options = options;
  }

  get rpc(): NodeRpc {
    return this.anvil.rpc;
  }

  async start(): Promise<void> {
    [this.postgres, this.nats, this.#redis, this.anvil] = await Promise.all([
      startPostgres({ isOwn: true }),
      startNats(),
      startRedis(),
      startAnvil({ args: [...ANVIL_ARGS, ...(this.#options.anvilArgs ?? [])] }),
      this.receiver.start(),
    ]);
    const apiPort = await freePort();
    this.#apiUrl = `http://127.0.0.1:${apiPort}/v1`;
    this.db = createDatabase({ url: this.postgres.url, applicationName: 'acceptance', poolSize: 3 });
    this.actor = new ChainActor(this.anvil.rpc, this.anvil.url);
    await this.actor.start();
    this.services = new Services({
      DATABASE_URL: this.postgres.url,
      NATS_URL: this.nats.url,
      REDIS_URL: this.#redis.url,
      PORT: String(apiPort),
      SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
      RATE_LIMIT_API: '1000000',
      WEBHOOK_RETRY_SCHEDULE: '0,200ms,500ms,1s,2s,2s,2s,2s,2s,2s,2s,2s',
      LOG_LEVEL: 'warn',
      ...(this.#options.fallbackToAnvil === true && { CHAIN_ENDPOINTS: JSON.stringify({ [CHAIN]: [this.anvil.url] }) }),
      ...this.#options.env,
    });
    await this.services.start(ALL_SERVICES);
    this.project = await this.newProject();
    const endpoint = (await this.#options.endpointUrl?.(this.anvil.url)) ?? this.anvil.url;
    this.startBlock = await this.actor.head();
    await this.#expect(201, 'POST', '/blockchains', { chain_gid: CHAIN });
    await this.#expect(200, 'PATCH', `/blockchains/${CHAIN}/evm`, { endpoint_url: endpoint });
    await this.#expect(200, 'POST', `/blockchains/${CHAIN}/actions/activate`);
    await this.waitForCursor();
    // In the catalogue, so that an import finds what an address held before.
    for (const token of [this.actor.deployed.token, this.actor.deployed.rebasing, this.actor.deployed.feeToken]) await this.#expect(201, 'POST', `/tokens/${CHAIN}/erc20:${token}`);
  }

  async stop(): Promise<void> {
    await this.services?.stop();
    await this.db?.close();
    await Promise.all([this.receiver.stop(), this.anvil?.stop(), this.nats?.stop(), this.#redis?.stop(), this.postgres?.stop()]);
  }

  /** A project of its own with one webhook channel; its secret is the receiver's from now on. */
  async newProject(): Promise<Project> {
    const made = await bootstrap(this.db, { label: 'svc' });
    const project = new Project(made.projectId, this.#apiUrl, made.keys.api);
    const { status, body } = await project.request('POST', '/notification_channels/webhook', { name: 'acceptance', url: this.receiver.url, event_types: ALL_EVENTS });
    if (status !== 201) throw new Error(`expected 201 for the channel, got ${status} ${JSON.stringify(body)}`);
    this.receiver.secrets.set(made.projectId, (body as { webhook_secret: string }).webhook_secret);
    return project;
  }

  /** Registers an address and tells from which block it counts. */
  async watch(address: Hex, project = this.project): Promise<Watched> {
    const { status, body } = await project.request('POST', '/addresses/external', { value: address, chain_family: 'evm' });
    if (status !== 201 && status !== 409) throw new Error(`expected 201, got ${status} ${JSON.stringify(body)}`);
    const record = status === 201 ? body : await project.get(`/addresses/${address}`);
    return { address, fromBlock: (record as { watched_from: Record<string, number> }).watched_from[CHAIN] ?? this.startBlock };
  }

  /**
   * From which block each address counts by now: a reorg that came after the registration may have lowered it, never
   * raised it.
   */
  async readWatched(project: Project, watched: readonly Watched[]): Promise<Watched[]> {
    return Promise.all(
      watched.map(async ({ address, fromBlock }) => {
        const { watched_from: from } = await project.get<{ watched_from: Record<string, number> }>(`/addresses/${address}`);
        const now = from[CHAIN] ?? this.startBlock;
        if (now > fromBlock) throw new Error(`${address} counted from block ${fromBlock} when it was registered, now from ${now}`);
        return { address, fromBlock: now };
      }),
    );
  }

  /** Stops monitoring, so that a long run of scripts does not tell every project about every later one. */
  async retire(project: Project, watched: readonly Watched[]): Promise<void> {
    for (const { address } of watched) {
      const { status, body } = await project.request('PATCH', `/addresses/${address}`, { is_monitored: false });
      if (status !== 200) throw new Error(`expected 200, got ${status} ${JSON.stringify(body)}`);
    }
    for (const [id, event] of this.receiver.events) if (event.body['project_id'] === project.id) this.receiver.events.delete(id);
  }

  /** Resolves when the analyzer has done the node's head. */
  async waitForCursor(timeoutMs = 30_000): Promise<void> {
    await this.until(`the cursor to reach the node's head`, timeoutMs, async () => {
      const block = await this.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
      const { rows } = await this.db.query<{ cursor_hash: string }>('SELECT cursor_hash FROM analyzer_states WHERE chain_gid = $1', [CHAIN]);
      return rows[0]?.cursor_hash === block.hash;
    });
  }

  /** Makes everything final and waits until nothing is left to do anywhere. */
  async settle(timeoutMs = 60_000): Promise<void> {
    const head = await this.actor.head();
    await this.actor.mine(70);
    await this.waitForCursor(timeoutMs);
    await this.until('confirmations and deliveries to be done', timeoutMs, async () => {
      const { rows } = await this.db.query<{ confirmed: number; reads: number; events: number; deliveries: number; assets: number }>(
        `SELECT (SELECT confirmed_number FROM analyzer_states WHERE chain_gid = $1) AS confirmed,
                (SELECT count(*) FROM balance_reads) AS reads,
                (SELECT count(*) FROM events WHERE dispatched_at IS NULL OR published_at IS NULL) AS events,
                (SELECT count(*) FROM deliveries WHERE status <> 'delivered') AS deliveries,
                (SELECT count(*) FROM assets WHERE status = 'unknown') AS assets`,
        [CHAIN],
      );
      const { confirmed, reads, events, deliveries, assets } = rows[0]!;
      // A killed analyzer leaves its question about a token to the next attempt, some seconds later.
      return confirmed >= head && reads === 0 && events === 0 && deliveries === 0 && assets === 0;
    });
  }

  async until(what: string, timeoutMs: number, done: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    let last: unknown;
    while (Date.now() < deadline) {
      try {
        if (await done()) return;
      } catch (error) {
        last = error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const states = await this.db.query('SELECT i.status, i.reason, i.head_number, i.feed_seq, a.status AS a_status, a.reason AS a_reason, a.cursor_number, a.cursor_seq, a.confirmed_number FROM ingestor_states i LEFT JOIN analyzer_states a USING (chain_gid)').catch(() => ({ rows: [] }));
    throw new Error(`waited ${timeoutMs} ms for ${what}; states ${JSON.stringify(states.rows)}; last error ${String(last)};\n${this.services.output.slice(-30).join('\n')}`);
  }

  async #expect(wanted: number, method: string, path: string, body?: unknown): Promise<void> {
    const answer = await this.project.request(method, path, body);
    if (answer.status !== wanted) throw new Error(`${method} ${path}: expected ${wanted}, got ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}
