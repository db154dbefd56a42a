import { BlockNotFoundError, ChainError, type ChainClient } from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/db';
import { counter } from '@chainwatch/telemetry';
import { readChainState } from './chain-state.ts';
import { planChange } from './plan-change.ts';
import { readAnchors } from './read-anchors.ts';
import { readTargets } from './read-targets.ts';
import { storeChanges, type BalanceEvent } from './store-changes.ts';
import { findOrphanTargets, takeWork } from './take-work.ts';
import type { Reading, Target } from './target.ts';

export interface ChainWorkerDeps {
  readonly db: Database;
  readonly client: ChainClient;
  readonly publish: (events: readonly BalanceEvent[]) => void;
  readonly logger: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  readonly clock: () => Date;
}

const IDLE_MS = 1_000;
const RETRY_MS_MAX = 5_000;
const readingsTotal = counter('chainwatch_balance_readings_total', { description: 'Balances that the chain was asked for.' });

/**
 * Keeps the balances of one chain. The chain belongs to the replica whose database session holds its advisory lock;
 * every write goes through that session, so that a replica which lost the lock cannot write.
 */
export class ChainWorker {
  readonly #deps: ChainWorkerDeps;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #wake: (() => void) | undefined;
  #isWoken = false;
  /** Why nothing moves, for /readyz; undefined while all is well. */
  reason: string | undefined = 'not started yet';
  isOwner = false;

  constructor(deps: ChainWorkerDeps) {
    this.#deps = deps;
    this.#done = this.#run();
  }

  get chainGid(): string {
    return this.#deps.client.network.gid;
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#done;
    this.#deps.client.close();
  }

  async #run(): Promise<void> {
    let retryMs = 100;
    while (!this.#stop.signal.aborted) {
      try {
        await this.#own();
        retryMs = 100;
      } catch (error) {
        this.reason = describe(error);
        this.#deps.logger.warn({ err: error, chain_gid: this.chainGid }, 'balances of the chain could not be read');
        retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
      }
      this.isOwner = false;
      await this.#pause(retryMs);
    }
  }

  /** Works while this session holds the chain's lock; returns when another replica has it. */
  async #own(): Promise<void> {
    const session = await this.#deps.db.pool.connect();
    let failure: Error | undefined;
    // A server that goes away tells it here while no statement runs; the next statement fails by itself.
    const onLost = (error: Error): void => void (failure = error);
    session.on('error', onLost);
    const lockName = `balance-service ${this.chainGid}`;
    try {
      const { rows } = await session.query<{ locked: boolean }>('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked', [lockName]);
      // Another replica works on it: nothing is wrong.
      this.reason = undefined;
      if (!rows[0]!.locked) return await this.#pause(IDLE_MS);
      this.isOwner = true;
      await this.#work(session);
      await session.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [lockName]);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw failure;
    } finally {
      // A session that failed is closed, and its lock with it.
      session.off('error', onLost);
      session.release(failure);
    }
  }

  async #work(session: Sql): Promise<void> {
    let waitMs = 50;
    while (!this.#stop.signal.aborted) {
      try {
        const isBusy = await this.#step(session);
        this.reason = undefined;
        waitMs = 50;
        if (!isBusy) await this.#pause(IDLE_MS);
      } catch (error) {
        // The node is at fault, or the analyzer has to move first: the work stays where it is.
        if (this.#stop.signal.aborted || !(error instanceof ChainError)) throw error;
        this.reason = describe(error);
        await this.#pause(waitMs);
        waitMs = Math.min(waitMs * 2, error instanceof BlockNotFoundError ? 500 : RETRY_MS_MAX);
      }
    }
  }

  /** One piece of work; false when there was none. */
  async #step(session: Sql): Promise<boolean> {
    const { client } = this.#deps;
    const work = await takeWork(session, client.network);
    // Read after the work: the cursor is then at or behind whatever asked for it.
    const { cursor, isHeld } = await readChainState(session, this.chainGid);
    if (cursor === undefined || isHeld) return false;
    const targets = work.readIds.length > 0 ? work.targets : await findOrphanTargets(session, this.chainGid);
    if (work.readIds.length === 0 && targets.length === 0) return false;
    const readings = await readTargets(client, targets, cursor, this.#stop.signal);
    readingsTotal.add(targets.length, { chain_gid: this.chainGid });
    const events = await inTransaction(session, () => this.#store(session, work.readIds, targets, readings));
    this.#deps.publish(events);
    return true;
  }

  async #store(sql: Sql, readIds: readonly number[], targets: readonly Target[], readings: readonly Reading[]): Promise<BalanceEvent[]> {
    await sql.query('DELETE FROM balance_reads WHERE id = ANY($1)', [readIds]);
    const alive = await keepExisting(sql, readings);
    const anchors = await readAnchors(sql, this.chainGid, alive);
    const changes = alive.map((reading, position) => planChange(reading, anchors[position]!)).filter((change) => change !== undefined);
    // Read again at a block where nobody answered: an orphan's reading must not stay for ever.
    if (readings.length < targets.length) await readAnchors(sql, this.chainGid, targets.filter((target) => target.block === undefined).map((target) => ({ ...target, block: { number: 0, hash: '' }, amountRaw: 0n })));
    const { confirmedNumber } = await readChainState(sql, this.chainGid);
    return storeChanges(sql, this.chainGid, changes, confirmedNumber, this.#deps.clock());
  }

  async #pause(delayMs: number): Promise<void> {
    if (!this.#isWoken && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isWoken = false;
  }
}

/** An address may have been deleted while the chain was asked. */
async function keepExisting(sql: Sql, readings: readonly Reading[]): Promise<Reading[]> {
  const { rows } = await sql.query<{ id: string }>('SELECT id FROM addresses WHERE id = ANY($1) FOR KEY SHARE', [[...new Set(readings.map((reading) => reading.addressId))]]);
  const ids = new Set(rows.map((row) => row.id));
  return readings.filter((reading) => ids.has(reading.addressId));
}

async function inTransaction<T>(session: Sql, work: () => Promise<T>): Promise<T> {
  await session.query('BEGIN');
  try {
    const result = await work();
    await session.query('COMMIT');
    return result;
  } catch (error) {
    await session.query('ROLLBACK');
    throw error;
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
