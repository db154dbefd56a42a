// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@chainwatch/data/bus';
import { createDatabase, type Database } from '@chainwatch/data/db';
import type { OpenedChain } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { network, startPostgres } from '@chainwatch/data/testing';
import type { AnalyzerOptions } from '../model/analyzer-deps.ts';
import { startAnalyzer, type Analyzer } from '../start-analyzer.ts';
import { SpecBus, type AnalyzerBus } from './spec-bus.ts';
import { SpecDatabase, type SpecOf } from './spec-database.ts';
import type { MortalDatabase } from './spec-mortal-database.ts';

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface SpecWorldOptions extends AnalyzerOptions {
  /** Default: an EVM chain. */
  readonly of?: SpecOf;
}

/** A database and its sessions. A test that leaves them in order leaves them to the next one: new sessions cost more than most tests. */
interface Place {
  readonly postgres: PostgresHandle;
  readonly db: Database;
  /** Transactions from this one on are a test's. */
  readonly firstXid: string;
}

const spares = new WeakMap<PostgresHandle, Place[]>();

async function takePlace(postgres: PostgresHandle): Promise<Place> {
  const spare = spares.get(postgres)?.pop();
  if (spare !== undefined) return spare;
  const db = createDatabase({ url: await postgres.createDatabase(), applicationName: 'spec' });
  const { rows } = await db.query<{ xid: string }>(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid',
  );
  return { postgres, db, firstXid: rows[0]!.xid };
}

/** A test that was killed in a transaction, or that changed the schema, leaves its database to nobody. */
async function leavePlace(place: Place): Promise<void> {
  const { postgres, db, firstXid } = place;
  if (db.pool.idleCount < db.pool.totalCount || (await hasSchemaChanged(db, firstXid))) return db.close();
  await postgres.empty(db);
  spares.set(postgres, [...(spares.get(postgres) ?? []), place]);
}

async function hasSchemaChanged(db: Database, firstXid: string): Promise<boolean> {
  const catalogs = ['pg_class', 'pg_attribute', 'pg_proc', 'pg_trigger', 'pg_constraint'];
  const changes = catalogs.map(
    (catalog) => `EXISTS (SELECT FROM ${catalog} WHERE xmin::text::bigint >= $1::bigint)`,
  );
  const { rows } = await db.query<{ changed: boolean }>(`SELECT ${changes.join(' OR ')} AS changed`, [
    firstXid,
  ]);
  return rows[0]!.changed;
}

/** The database as ingestor and gateway write it, a node, a bus and an analyzer. */
export class SpecWorld extends SpecDatabase {
  bus = new SpecBus();
  analyzer: Analyzer | undefined;
  readonly #options: AnalyzerOptions;

  readonly #place: Place;

  private constructor(place: Place, { of = { network }, ...options }: SpecWorldOptions) {
    super(place.db, of);
    this.#place = place;
    this.#options = { pollMs: 100, sweepMs: 100, metadataTimeoutMs: 5_000, ...options };
  }

  static async start(postgres: PostgresHandle, options: SpecWorldOptions = {}): Promise<SpecWorld> {
    const world = new SpecWorld(await takePlace(postgres), options);
    await world.addChain();
    return world;
  }

  static async postgres(): Promise<PostgresHandle> {
    const server = await startPostgres();
    const handle = {
      ...server,
      async stop() {
        await Promise.all((spares.get(handle) ?? []).map(({ db }) => db.close()));
        await server.stop();
      },
    };
    return handle;
  }

  /** Why no chain can be opened. */
  openFault: Error | undefined;

  /** `mortal`: the process dies when this database says so. */
  startAnalyzer(mortal?: Pick<MortalDatabase, 'isDead' | 'wrap'>): void {
    const bus: AnalyzerBus = {
      subscribe: this.bus.subscribe,
      consume: this.bus.consume,
      streamState: this.bus.streamState,
      readStream: this.bus.readStream,
      onStreamsRecreated: (listener) => this.bus.onStreamsRecreated(listener),
      isConnected: true,
      publish: (...args) =>
        mortal?.isDead === true ? Promise.reject(new Error('killed')) : this.bus.publish(...args),
    };
    Object.defineProperty(bus, 'isConnected', { get: () => this.bus.isConnected && mortal?.isDead !== true });
    this.analyzer = startAnalyzer({
      db: mortal === undefined ? this.db : mortal.wrap(this.db),
      bus: bus as Bus<'tx-analyzer'>,
      logger: silent,
      openChain: async () => (this.openFault === undefined ? this.#opened() : Promise.reject(this.openFault)),
      findUtxo: () => Promise.resolve(this.utxo),
      options: this.#options,
    });
  }

  #opened(): OpenedChain {
    return {
      network: this.chain.network,
      client: this.chain.client(),
      utxo: this.utxo,
    };
  }

  async stopAnalyzer(): Promise<void> {
    await this.analyzer?.stop();
    this.analyzer = undefined;
    // Ends the leases, as time would: a killed process released nothing.
    await this.db.query('UPDATE owners SET lease_until = clock_timestamp()');
    await this.db.query('DELETE FROM owner_beats');
  }

  async stop(): Promise<void> {
    await this.stopAnalyzer();
    await leavePlace(this.#place);
  }

  /** Waits until the analyzer has done every feed entry. */
  async settle(): Promise<void> {
    await waitFor(
      async () => {
        const { rows } = await this.db.query<{ cursor_seq: number; status: string; reason: string }>(
          'SELECT cursor_seq, status, reason FROM analyzer_states',
        );
        return rows[0]?.cursor_seq === this.seq;
      },
      { timeoutMs: 15_000, intervalMs: 5, message: `the cursor to reach ${this.seq}` },
    );
    if (this.isPacking) await this.pack();
  }
}
