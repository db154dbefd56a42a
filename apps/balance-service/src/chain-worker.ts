import { BlockNotFoundError, ChainError } from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/db';
import type { BalanceReader } from './balance-reader.ts';
import { READS_MAX, runBalanceStep, type StepResult } from './balance-step.ts';
import type { BalanceEvent } from './insert-events.ts';

export interface ChainWorkerDeps {
  readonly db: Database;
  readonly client: BalanceReader;
  readonly publish: (events: readonly BalanceEvent[]) => void;
  readonly logger: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  readonly clock: () => Date;
  /** Between two looks for work when nobody wakes it. Default 1,000. */
  readonly idleMs?: number;
}

const IDLE_MS = 1_000;
/** While the analyzer has to move first. */
const WAIT_MS = 100;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 5_000;

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
    let retryMs = RETRY_MS_MIN;
    while (!this.#stop.signal.aborted) {
      try {
        await this.#own();
        retryMs = RETRY_MS_MIN;
        await this.#pause(IDLE_MS);
      } catch (error) {
        if (this.#stop.signal.aborted) break;
        this.reason = describe(error);
        this.#deps.logger.warn({ err: error, chain_gid: this.chainGid }, 'balances of the chain could not be kept, the session is made anew');
        retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
        await this.#pause(retryMs);
      } finally {
        this.isOwner = false;
      }
    }
  }

  /** Works while this session holds the chain's lock; returns when another replica has it. */
  async #own(): Promise<void> {
    const session = await this.#deps.db.pool.connect();
    let failure: Error | undefined;
    // A server that goes away tells it here while no statement runs: nobody waits for the next one to fail.
    const onLost = (error: Error): void => {
      failure = error;
      this.wake();
    };
    session.on('error', onLost);
    const lockName = `balance-service ${this.chainGid}`;
    try {
      const { rows } = await session.query<{ locked: boolean }>('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked', [lockName]);
      // Another replica works on it: nothing is wrong.
      this.reason = undefined;
      if (!rows[0]!.locked) return;
      this.isOwner = true;
      this.#deps.logger.info({ chain_gid: this.chainGid }, 'the balances of the chain are kept here');
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
    let retryMs = RETRY_MS_MIN;
    let readsMax = READS_MAX;
    while (!this.#stop.signal.aborted) {
      try {
        await this.#settle(await runBalanceStep({ ...this.#deps, session, signal: this.#stop.signal, limits: { reads: readsMax } }));
        retryMs = RETRY_MS_MIN;
        readsMax = Math.min(readsMax * 2, READS_MAX);
      } catch (error) {
        // What was under way is rolled back: the lock is given back in order.
        if (this.#stop.signal.aborted) return;
        if (!(error instanceof ChainError)) throw error;
        this.#report(error);
        // Less at once, so that what the node cannot answer is told apart from the rest.
        if (!(error instanceof BlockNotFoundError)) readsMax = Math.max(readsMax >> 3, 1);
        await this.#pause(retryMs);
        retryMs = Math.min(retryMs * 2, error instanceof BlockNotFoundError ? 500 : RETRY_MS_MAX);
      }
    }
  }

  async #settle(result: StepResult): Promise<void> {
    this.reason = result.type === 'waiting' ? result.reason : undefined;
    if (result.type === 'done') this.#deps.publish(result.events);
    if (result.type === 'done' && result.hasMore) return;
    await this.#pause(result.type === 'waiting' ? WAIT_MS : (this.#deps.idleMs ?? IDLE_MS));
  }

  #report(error: ChainError): void {
    if (this.reason !== error.message) this.#deps.logger.warn({ err: error, chain_gid: this.chainGid }, 'the node did not tell balances, it is asked again');
    this.reason = error.message;
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

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
