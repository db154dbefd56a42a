// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { EVENT_TYPES, EVENTS } from '@chainwatch/events';
import { startNats, startRedis, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from '../../db/src/bootstrap.ts';
import { Project } from './project.ts';
import type { Random } from './random.ts';
import { Receiver } from './receiver.ts';
import { Services, freePort, type ServiceName } from './services.ts';
import type { ScriptOptions, TestChain, Watched } from './test-chain.ts';

/** The least that a condition is waited for: the machine may be slow. */
const PATIENCE_MS = 240_000;

/** Of chains. */
export const ALL_EVENTS = EVENT_TYPES.filter((type) => EVENTS[type].subject !== undefined);

/** Plays a random history on the node and registers addresses meanwhile; what it registered. */
export type PlayScript<C extends TestChain> = (
  harness: Harness<C>,
  random: Random,
  options: ScriptOptions,
) => Promise<Watched[]>;

export interface HarnessOptions {
  /** The node URL that the service is given; default the node itself. */
  readonly endpointUrl?: (nodeUrl: string) => Promise<string>;
  /** The honest node is a second endpoint. */
  readonly fallbackToNode?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The port at which clients reach the gateway that listens on `port`; default the same. */
  readonly balance?: (port: number) => Promise<number>;
  /** A PostgreSQL server that may be restarted. Default: the one that every spec shares. */
  readonly hasOwnPostgres?: boolean;
  /** Starts another one instead. */
  readonly openPostgres?: () => Promise<PostgresHandle>;
  /** Bundles of another release. */
  readonly dist?: string;
}

interface AddressRecord {
  readonly watched_from: Readonly<Record<string, number>>;
  readonly backfill: {
    readonly chains: Readonly<
      Record<string, { readonly method: string | null; readonly from_block: number }>
    >;
  } | null;
}

/** How far back a history is asked for: not to where the chain was set up, with transactions that no oracle reads. */
const HISTORY_BLOCKS = 40;

/** Everything that runs in production, on this machine, with a node that does what the test says. */
export class Harness<C extends TestChain> {
  readonly chain: C;
  readonly receiver = new Receiver();
  services!: Services;
  db!: Database;
  nats!: Awaited<ReturnType<typeof startNats>>;
  redis!: Awaited<ReturnType<typeof startRedis>>;
  postgres!: Awaited<ReturnType<typeof startPostgres>>;
  project!: Project;
  startBlock = 0;
  apiUrl = '';
  readonly #options: HarnessOptions;
  #isActive = false;
  #imports = 0;

  constructor(chain: C, options: HarnessOptions = {}) {
    this.chain = chain;
    this.#options = options;
  }

  /** What runs, each a process that may be killed. */
  get serviceNames(): readonly ServiceName[] {
    return ['api-gateway', this.chain.ingestor, 'tx-analyzer', 'balance-service', 'notifier'];
  }

  async start(): Promise<void> {
    [this.postgres, this.nats, this.redis] = await Promise.all([
      this.#options.openPostgres?.() ?? startPostgres({ isOwn: this.#options.hasOwnPostgres }),
      startNats(),
      startRedis(),
      this.chain.start(),
      this.receiver.start(),
    ]);
    const { gid, family, url } = this.chain;
    const apiPort = await freePort();
    this.apiUrl = `http://127.0.0.1:${(await this.#options.balance?.(apiPort)) ?? apiPort}/v1`;
    this.db = createDatabase({ url: this.postgres.url, applicationName: 'acceptance', poolSize: 3 });
    this.services = new Services(
      {
        ...this.postgres.serviceEnv,
        NATS_URL: this.nats.url,
        REDIS_URL: this.redis.url,
        PORT: String(apiPort),
        SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
        OUTBOUND_ALLOW: '127.0.0.0/8',
        WEBHOOK_ALLOW_HTTP: 'true',
        RATE_LIMIT_API: '1000000',
        WEBHOOK_RETRY_SCHEDULE: '0,200ms,500ms,1s,2s,2s,2s,2s,2s,2s,2s,2s',
        LOG_LEVEL: 'warn',
        ...(this.#options.fallbackToNode === true && { CHAIN_ENDPOINTS: JSON.stringify({ [gid]: [url] }) }),
        ...this.chain.env,
        ...this.#options.env,
      },
      this.#options.dist,
    );
    await this.services.start(this.serviceNames);
    this.project = await this.newProject();
    const endpoint = (await this.#options.endpointUrl?.(url)) ?? url;
    this.startBlock = (await this.chain.readHead()).number;
    await this.project.expect(201, { method: 'POST', path: '/blockchains', body: { chain_gid: gid } });
    await this.project.expect(200, {
      method: 'PATCH',
      path: `/blockchains/${gid}/${family}`,
      body: this.chain.describeEndpoint?.(endpoint) ?? { endpoint_url: endpoint },
    });
    await this.project.expect(200, { method: 'POST', path: `/blockchains/${gid}/actions/activate` });
    await this.waitForCursor();
    await this.chain.prepare?.(this.project);
    this.#isActive = true;
  }

  async stop(): Promise<void> {
    await this.services?.stop();
    await this.db?.close();
    await Promise.all([
      this.receiver.stop(),
      this.chain.stop(),
      this.nats?.stop(),
      this.redis?.stop(),
      this.postgres?.stop(),
    ]);
  }

  /** A project of its own with one webhook channel; its secret is the receiver's from now on. */
  async newProject(): Promise<Project> {
    const made = await bootstrap(this.db, { label: 'svc' });
    const project = new Project(made.projectId, this.apiUrl, made.keys.api);
    const { status, body } = await project.request('POST', '/notification_channels/webhook', {
      name: 'acceptance',
      url: this.receiver.url,
      event_types: ALL_EVENTS,
      include_historical: true,
    });
    if (status !== 201)
      throw new Error(`expected 201 for the channel, got ${status} ${JSON.stringify(body)}`);
    this.receiver.secrets.set(made.projectId, (body as { webhook_secret: string }).webhook_secret);
    if (this.#isActive) await this.chain.prepare?.(project);
    return project;
  }

  /** A confirmation policy for all transactions of a project that has none yet: most are less or more than the chain's. */
  async choosePolicy(project: Project, random: Random): Promise<void> {
    const depth = random.pick([undefined, undefined, 1, 2, random.int(3, 12), random.int(30, 300)]);
    const isSaid = depth !== undefined || random.next() < 0.5;
    project.depth = depth;
    if (isSaid)
      await project.expect(200, {
        method: 'PUT',
        path: `/confirmation_policies/${this.chain.gid}`,
        body: depth === undefined ? { type: 'finalized' } : { type: 'depth', depth, unsafe: true },
      });
  }

  /** Registers an address, every second one with its history, and tells from which block it counts. */
  async watch(address: string, project = this.project): Promise<Watched> {
    this.#imports += 1;
    // What history finds is confirmed when it is final, whatever the policy.
    const withHistory =
      this.chain.hasHistory === true && this.#imports % 2 === 0 && project.depth === undefined;
    const historyFrom = withHistory
      ? Math.max(this.startBlock, (await this.chain.readHead()).number - HISTORY_BLOCKS)
      : undefined;
    const { status, body } = await project.request('POST', '/addresses/external', {
      value: address,
      chain_family: this.chain.family,
      ...(historyFrom === undefined ? {} : { history: { [this.chain.gid]: historyFrom } }),
    });
    if (status !== 201 && status !== 409)
      throw new Error(`expected 201, got ${status} ${JSON.stringify(body)}`);
    const { watched_from: from, backfill } = (
      status === 201 ? body : await project.get(`/addresses/${address}`)
    ) as AddressRecord;
    const chain = backfill?.chains[this.chain.gid];
    return {
      address,
      fromBlock: from[this.chain.gid] ?? this.startBlock,
      // One that was there already has the history that its own import asked for.
      ...(chain?.method === 'history' ? { historyFrom: chain.from_block } : {}),
    };
  }

  /**
   * From which block each address counts by now: a reorg that came after the registration may have lowered it, never
   * raised it.
   */
  async readWatched(project: Project, watched: readonly Watched[]): Promise<Watched[]> {
    return Promise.all(
      watched.map(async ({ address, fromBlock, ...more }) => {
        const { watched_from: from } = await project.get<{ watched_from: Record<string, number> }>(
          `/addresses/${address}`,
        );
        const now = from[this.chain.gid] ?? this.startBlock;
        if (now > fromBlock)
          throw new Error(
            `${address} counted from block ${fromBlock} when it was registered, now from ${now}`,
          );
        return { ...more, address, fromBlock: now };
      }),
    );
  }

  /** Stops monitoring, so that a long run of scripts does not tell every project about every later one. */
  async retire(project: Project, watched: readonly Watched[]): Promise<void> {
    for (const { address } of watched) {
      const { status, body } = await project.request('PATCH', `/addresses/${address}`, {
        is_monitored: false,
      });
      if (status !== 200) throw new Error(`expected 200, got ${status} ${JSON.stringify(body)}`);
    }
    for (const [id, event] of this.receiver.events)
      if (event.body['project_id'] === project.id) this.receiver.events.delete(id);
  }

  /** Resolves when the analyzer has done the node's head. */
  async waitForCursor(timeoutMs = 120_000): Promise<void> {
    await this.until(`the cursor to reach the node's head`, timeoutMs, async () => {
      const { hash } = await this.chain.readHead();
      const { rows } = await this.db.query<{ cursor_hash: string }>(
        'SELECT cursor_hash FROM analyzer_states WHERE chain_gid = $1',
        [this.chain.gid],
      );
      return rows[0]?.cursor_hash === hash;
    });
  }

  /** Makes everything final and waits until nothing is left to do anywhere. */
  async settle(timeoutMs = 120_000): Promise<void> {
    const { number: head } = await this.chain.readHead();
    await this.chain.finalize();
    await this.waitForCursor(timeoutMs);
    await this.until('confirmations and deliveries to be done', timeoutMs, async () => {
      const { rows } = await this.db.query<{
        confirmed: number;
        reads: number;
        unpublished: number;
        undispatched: number;
        deliveries: number;
        assets: number;
        backfills: number;
        histories: number;
        pending: number;
        due: number;
        registered: number;
        doubts: number;
      }>(
        `SELECT (SELECT confirmed_number FROM analyzer_states WHERE chain_gid = $1) AS confirmed,
                (SELECT count(*) FROM balance_reads) AS reads,
                (SELECT count(*) FROM unpublished_events) AS unpublished,
                (SELECT count(*) FROM undispatched_events) AS undispatched,
                (SELECT count(*) FROM deliveries WHERE status <> 'delivered') AS deliveries,
                (SELECT count(*) FROM assets a WHERE a.status = 'unknown' AND NOT EXISTS (
                   SELECT FROM incidents i WHERE i.kind = 'poison:assets' AND i.status = 'quarantined' AND i.subject_id = a.gid)) AS assets,
                (SELECT count(*) FROM address_backfills b JOIN addresses a ON a.id = b.address_id WHERE b.status <> 'complete' AND a.is_monitored) AS backfills,
                (SELECT count(*) FROM address_histories b JOIN addresses a ON a.id = b.address_id WHERE b.status <> 'complete' AND a.is_monitored) + (SELECT count(*) FROM historical_dispatches) AS histories,
                (SELECT count(*) FROM transactions WHERE status = 'pending') AS pending,
                (SELECT count(*) FROM transactions t JOIN analyzer_states s USING (chain_gid)
                 WHERE t.status = 'detected' AND NOT t.is_withheld AND t.confirmation_depth <= s.cursor_number - t.block_number + 1) AS due,
                (SELECT count(*) FROM project_assets WHERE read_after IS NOT NULL) AS registered,
                (SELECT count(*) FROM balance_differences d JOIN analyzer_states s USING (chain_gid) WHERE d.block_number <= s.cursor_number - 40) AS doubts`,
        [this.chain.gid],
      );
      const { confirmed, ...left } = rows[0]!;
      // A killed analyzer leaves its question about a token to the next attempt, some seconds later.
      if (confirmed >= head && Object.values(left).every((count) => count === 0)) return true;
      throw new Error(`left ${JSON.stringify(left)}, confirmed ${confirmed} of ${head}`);
    });
  }

  async until(what: string, timeoutMs: number, done: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + Math.max(timeoutMs, PATIENCE_MS);
    let last: unknown;
    while (Date.now() < deadline) {
      try {
        if (await done()) return;
      } catch (error) {
        last = error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const states = await this.db
      .query(
        'SELECT i.status, i.reason, i.head_number, i.feed_seq, a.status AS a_status, a.reason AS a_reason, a.cursor_number, a.cursor_seq, a.confirmed_number FROM ingestor_states i LEFT JOIN analyzer_states a USING (chain_gid)',
      )
      .catch(() => ({ rows: [] }));
    const unpublished = await this.db
      .query(
        'SELECT e.id, e.event_id, e.subject_kind, e.chain_gid, e.type, e.is_held, e.created_at, u.subject_kind AS queued_as FROM unpublished_events u LEFT JOIN event_log e ON e.id = u.event_row_id LIMIT 5',
      )
      .catch(() => ({ rows: [] }));
    throw new Error(
      `waited ${timeoutMs} ms for ${what}; states ${JSON.stringify(states.rows)}; unpublished ${JSON.stringify(unpublished.rows)}; last error ${String(last)};\n${this.services.output.slice(-30).join('\n')}`,
    );
  }
}
