// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@chainwatch/data/bus';
import type { OpenedChain } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { lendDatabase, network, startPostgres, type LentDatabase } from '@chainwatch/data/testing';
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

/** The database as ingestor and gateway write it, a node, a bus and an analyzer. */
export class SpecWorld extends SpecDatabase {
  bus = new SpecBus();
  analyzer: Analyzer | undefined;
  readonly #options: AnalyzerOptions;

  readonly #lent: LentDatabase;

  private constructor(lent: LentDatabase, { of = { network }, ...options }: SpecWorldOptions) {
    super(lent.db, of);
    this.#lent = lent;
    this.#options = { pollMs: 100, sweepMs: 100, metadataTimeoutMs: 5_000, ...options };
  }

  static async start(postgres: PostgresHandle, options: SpecWorldOptions = {}): Promise<SpecWorld> {
    const world = new SpecWorld(await lendDatabase(postgres), options);
    await world.addChain();
    return world;
  }

  static postgres(): Promise<PostgresHandle> {
    return startPostgres();
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
    await this.#lent.giveBack();
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
