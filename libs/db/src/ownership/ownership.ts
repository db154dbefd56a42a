import type { Database } from '../database.ts';
import { takeRow } from '../take-row.ts';
import { OwnedShare } from './owned-share.ts';
import { readLease, releaseLease, takeStatement, type ShareName } from './owners-table.ts';

export type OwnershipState =
  /** Not asked yet, or the database did not say: who owns it is not known. */
  | { readonly type: 'unknown'; readonly reason: string }
  | { readonly type: 'standby'; readonly owner: string }
  | { readonly type: 'owned'; readonly token: number };

export interface OwnershipOptions extends ShareName {
  readonly db: Database;
  /** A UUID per process start. */
  readonly owner: string;
  readonly logger: {
    warn(fields: object, message: string): void;
    info(fields: object, message: string): void;
  };
  /** Called each time the share became ours; it returns soon after `signal` aborts. A rejection gives the share back and takes it anew. */
  readonly work: (share: OwnedShare, signal: AbortSignal) => Promise<void>;
}

const ASK_MS_MIN = 20;
const ASK_MS = 1_000;

/**
 * This process' claim on one share, from its construction to stop(): it asks, stands by while another's lease lasts,
 * takes the share over when that has ended, works while it is ours, and gives it back.
 */
export class Ownership {
  readonly #options: OwnershipOptions;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #wake: (() => void) | undefined;
  #state: OwnershipState = { type: 'unknown', reason: 'the owner was not asked for yet' };

  constructor(options: OwnershipOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  get state(): OwnershipState {
    return this.#state;
  }

  /** Resolves when the work has ended and the share is free. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake?.();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      let delayMs = ASK_MS;
      try {
        const taken = await this.#take();
        if (typeof taken === 'number') delayMs = taken;
        else await this.#hold(taken);
      } catch (error) {
        this.#noteTrouble(error);
      }
      await this.#pause(delayMs);
    }
  }

  /** The share, or when to ask again. */
  async #take(): Promise<OwnedShare | number> {
    const { db, kind, share, owner, logger } = this.#options;
    const lease = await readLease(db, { kind, share });
    if (lease !== undefined && lease.leftMs > 0 && lease.owner !== owner) {
      this.#state = { type: 'standby', owner: lease.owner };
      return Math.min(Math.max(lease.leftMs, ASK_MS_MIN), ASK_MS);
    }
    const askedAtMs = performance.now();
    // The lease is over: whoever still holds the row has no right to it.
    const [row] = await takeRow<{ token: number }>(db, takeStatement({ kind, share }, owner));
    // Somebody was faster: who, is seen with the next question.
    if (row === undefined) return ASK_MS_MIN;
    this.#state = { type: 'owned', token: row.token };
    logger.info({ kind, share, token: row.token }, 'a share was taken over');
    return new OwnedShare({ db, kind, share, owner, token: row.token, askedAtMs });
  }

  async #hold(owned: OwnedShare): Promise<void> {
    const { db, owner, work, logger, kind, share } = this.#options;
    try {
      await work(owned, AbortSignal.any([this.#stop.signal, owned.signal]));
    } finally {
      owned.end();
      if (owned.signal.aborted)
        logger.warn(
          { kind, share, token: owned.token, reason: String(owned.signal.reason) },
          'a share was lost',
        );
      // When this fails the lease ends by itself.
      await releaseLease(db, this.#options, owner, owned.token).catch(() => undefined);
      this.#state = { type: 'unknown', reason: 'the share was let go' };
    }
  }

  #noteTrouble(error: unknown): void {
    const { kind, share, logger } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#state.type !== 'unknown' || this.#state.reason !== reason)
      logger.warn({ err: error, kind, share }, 'a share could not be taken or kept, it is asked for again');
    this.#state = { type: 'unknown', reason };
  }

  async #pause(delayMs: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
