// SPDX-License-Identifier: Apache-2.0
import { gauge, onScrape, type Logger } from '@chainwatch/platform/telemetry';
import { Signal } from '@chainwatch/chain-core';
import { randomUUID } from 'node:crypto';
import type { Database } from '../db/index.ts';
import { look, type Lease } from './beats-table.ts';
import { HeldShare, type Work } from './held-share.ts';
import { releaseLease, takeShare } from './owned-share.ts';
import { planShares, type Replica, type SharePlan } from './plan-shares.ts';
import { ProcessLease } from './process-lease.ts';
import { TIMING, type Timing } from './timing.ts';

export type ShareState =
  /** The database has not been asked or did not answer: the owner is not known. */
  | { readonly type: 'unknown'; readonly reason: string }
  | { readonly type: 'standby'; readonly owner: string }
  | { readonly type: 'owned'; readonly token: number };

export interface SupervisorOptions<T> {
  readonly db: Database;
  /** Processes with the same kind divide the same shares. */
  readonly kind: string;
  /** A UUID per process start, which is the default. */
  readonly owner?: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** All shares there are, and what each is. */
  readonly listShares: () => Promise<ReadonlyMap<string, T>>;
  /** Whether work that has begun may continue with the item it was given. Default: it may. */
  readonly isSame?: (before: T, now: T) => boolean;
  /** Groups shares that need the same things loaded: a chain's family. Default: one group. */
  readonly groupOf?: (item: T) => string;
  /** Loads what the shares of a group need, before the first is taken. Asked again after a failure. */
  readonly prepare?: (group: string, item: T) => Promise<unknown>;
  /**
   * Called each time this process takes a share. It returns soon after its signal aborts. A rejection releases the
   * share.
   */
  readonly work: Work<T>;
  /** After each look. */
  readonly onLook?: () => void;
  readonly timing?: Partial<Timing>;
}

const shareCounts = gauge('chainwatch_shares', {
  description: 'Shares of a kind of work that there are: chains, parts of the channels or of the projects.',
});
const ownedCounts = gauge('chainwatch_owned_shares', { description: 'Those that this process owns now.' });

const TAKEN_AT_ONCE = 4;
const SOON_MS = 20;

/**
 * This process' part of all shares of a kind, from its construction to stop(). It sends heartbeats, which are its lease,
 * stands by while the leases of others last, takes the free shares it may have, works on them, and lets go those that others should
 * have.
 */
export class ShareSupervisor<T> {
  readonly owner: string;
  readonly #options: SupervisorOptions<T>;
  readonly #timing: Timing;
  readonly #wake = new Signal();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  readonly #lease: ProcessLease;
  readonly #stopObserving: () => void;
  #shares: ReadonlyMap<string, T> = new Map();
  #leases: ReadonlyMap<string, Lease> = new Map();
  #lastError: string | undefined = 'the owners were not asked for yet';
  readonly #held = new Map<string, HeldShare<T>>();
  readonly #working = new Set<Promise<void>>();
  readonly #taking = new Set<string>();
  readonly #toTake: string[] = [];
  #takers = 0;
  readonly #ready = new Set<string>();
  readonly #preparing = new Set<string>();
  readonly #declinedUntilMs = new Map<string, number>();
  readonly #freeSinceMs = new Map<string, number>();
  readonly #troubles = new Map<string, { readonly reason: string; readonly untilMs: number }>();
  #letGoAtMs = -Infinity;
  /** Until the next look. Replicas that may take nothing look four times a second together, however many they are. */
  #lookMs: number;

  constructor(options: SupervisorOptions<T>) {
    this.#options = options;
    this.owner = options.owner ?? randomUUID();
    this.#timing = { ...TIMING, ...options.timing };
    this.#lookMs = this.#timing.lookMs;
    const { db, kind } = options;
    this.#lease = new ProcessLease({
      ...{ db, kind, timing: this.#timing },
      describe: () => this.#describeMe(),
      listShares: () => [...this.#held.values()].map(({ share }) => share),
    });
    this.#stopObserving = onScrape(() => {
      shareCounts.set(this.#shares.size, { kind });
      ownedCounts.set(this.owned.length, { kind });
    });
    this.#done = this.#run();
  }

  /** Every share, as last listed. */
  get shares(): ReadonlyMap<string, T> {
    return this.#shares;
  }

  /** The shares that this process owns now. */
  get owned(): string[] {
    return [...this.#held].flatMap(([share, held]) => (held.share.signal.aborted ? [] : [share]));
  }

  /** Why shares and owners could not be read the last time; undefined when they could. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  stateOf(share: string): ShareState {
    const held = this.#held.get(share);
    if (held !== undefined && !held.share.signal.aborted) return { type: 'owned', token: held.share.token };
    if (this.#lastError !== undefined) return { type: 'unknown', reason: this.#lastError };
    const lease = this.#leases.get(share);
    if (lease !== undefined && lease.owner !== this.owner) return { type: 'standby', owner: lease.owner };
    return { type: 'unknown', reason: this.#troubles.get(share)?.reason ?? 'nobody owns it' };
  }

  /** Looks at once: somebody said that the shares changed. */
  lookNow(): void {
    this.#wake.notify();
  }

  /**
   * Resolves when all work has ended and the shares are free. A process that stops no longer counts for the others.
   */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    this.#toTake.length = 0;
    await this.#lease.leave();
    for (const held of this.#held.values()) held.letGo();
    while (this.#working.size > 0) await Promise.all(this.#working);
    await this.#lease.end();
    this.#stopObserving();
    for (const each of [shareCounts, ownedCounts]) each.forget({ kind: this.#options.kind });
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#look();
        this.#lastError = undefined;
      } catch (error) {
        this.#noteBlindness(error);
      }
      this.#options.onLook?.();
      await this.#wake.wait(this.#untilNextLook(), this.#stop.signal);
    }
  }

  async #look(): Promise<void> {
    const { db, kind, listShares } = this.#options;
    this.#reconcile(await listShares());
    this.#prepare();
    await this.#lease.sayNews();
    const { leases, others, hasFormer } = await look(db, kind, this.owner);
    this.#leases = leases;
    this.#lease.hasFormer = hasFormer;
    if (this.#stop.signal.aborted) return;
    const plan = this.#plan(others);
    this.#lookMs = this.#timing.lookMs * (plan.hasRoom ? 1 : Math.max(1, (others.length + 1) / 2));
    this.#follow(plan);
  }

  /** Lets go shares that are no longer listed; restarts work whose item changed. */
  #reconcile(shares: ReadonlyMap<string, T>): void {
    const { isSame = () => true } = this.#options;
    this.#shares = shares;
    for (const [share, held] of this.#held) {
      const now = shares.get(share);
      if (now === undefined) held.letGo();
      else if (!isSame(held.item, now)) held.change(now);
    }
    for (const known of [this.#troubles, this.#declinedUntilMs, this.#freeSinceMs])
      for (const share of known.keys()) if (!shares.has(share)) known.delete(share);
  }

  #groupOf(item: T): string {
    return this.#options.groupOf?.(item) ?? 'all';
  }

  #prepare(): void {
    const { prepare = () => Promise.resolve(), logger, kind } = this.#options;
    for (const item of this.#shares.values()) {
      const group = this.#groupOf(item);
      if (this.#ready.has(group) || this.#preparing.has(group)) continue;
      this.#preparing.add(group);
      prepare(group, item)
        .then(
          () => {
            this.#ready.add(group);
            this.lookNow();
          },
          (err: unknown) => logger.warn({ err, kind, group }, 'failed to load share resources, will retry'),
        )
        .finally(() => this.#preparing.delete(group));
    }
  }

  #describeMe(): Replica {
    const nowMs = performance.now();
    for (const [share, untilMs] of this.#declinedUntilMs)
      if (untilMs <= nowMs) this.#declinedUntilMs.delete(share);
    return { owner: this.owner, ready: this.#ready, declined: new Set(this.#declinedUntilMs.keys()) };
  }

  #plan(others: readonly Replica[]): SharePlan {
    const nowMs = performance.now();
    const owners = new Map([...this.#leases].map(([share, { owner }]) => [share, owner]));
    // A row names us although nobody here has the share: its release failed, or the answer to its take was lost. It is free.
    for (const [share, owner] of owners) if (owner === this.owner) owners.delete(share);
    // A share that is ending belongs to nobody: it counts for no cap and cannot be taken yet.
    for (const [share, held] of this.#held) owners.set(share, held.isEnding ? '' : this.owner);
    for (const share of this.#taking) owners.set(share, this.owner);
    for (const [share, { untilMs }] of this.#troubles)
      if (untilMs > nowMs && !owners.has(share)) owners.set(share, '');
    for (const share of owners.keys()) this.#freeSinceMs.delete(share);
    for (const share of this.#shares.keys())
      if (!owners.has(share) && !this.#freeSinceMs.has(share)) this.#freeSinceMs.set(share, nowMs);
    return planShares({
      me: this.owner,
      shares: new Map([...this.#shares].map(([share, item]) => [share, this.#groupOf(item)])),
      owners,
      live: [this.#describeMe(), ...others],
      freeMs: new Map([...this.#freeSinceMs].map(([share, sinceMs]) => [share, nowMs - sinceMs])),
      unreachable: new Set(
        [...this.#held].flatMap(([share, held]) =>
          held.unreachableMs() >= this.#timing.unreachableMs ? [share] : [],
        ),
      ),
    });
  }

  #follow({ take, letGo }: SharePlan): void {
    for (const share of take) this.#taking.add(share);
    this.#toTake.push(...take);
    while (this.#takers < TAKEN_AT_ONCE && this.#toTake.length > 0) this.#startTaker();
    const nowMs = performance.now();
    if (letGo === undefined || nowMs - this.#letGoAtMs < this.#timing.letGoMs) return;
    const held = this.#held.get(letGo);
    // It is still being taken: the next look lets it go.
    if (held === undefined) return;
    this.#letGoAtMs = nowMs;
    const isUnreachable = held.unreachableMs() >= this.#timing.unreachableMs;
    if (isUnreachable) this.#declinedUntilMs.set(letGo, nowMs + this.#timing.declineMs);
    const { logger, kind } = this.#options;
    logger.info(
      { kind, share: letGo },
      isUnreachable
        ? 'released share, node unreachable from here'
        : 'a share was let go to a replica that had fewer',
    );
    held.letGo();
  }

  #startTaker(): void {
    this.#takers += 1;
    const taking = this.#takeQueued().finally(() => {
      this.#takers -= 1;
      this.#working.delete(taking);
    });
    this.#working.add(taking);
  }

  async #takeQueued(): Promise<void> {
    for (let share = this.#toTake.shift(); share !== undefined; share = this.#toTake.shift()) {
      try {
        await this.#take(share);
      } catch (error) {
        this.#noteTrouble(share, error);
      }
      this.#taking.delete(share);
    }
  }

  async #take(share: string): Promise<void> {
    const { db, kind, logger } = this.#options;
    const item = this.#shares.get(share);
    if (item === undefined || this.#stop.signal.aborted) return;
    const owned = await takeShare(db, { kind, share }, this.owner);
    // Another replica was faster: the next look shows which.
    if (owned === undefined) return this.lookNow();
    logger.info({ kind, share, token: owned.token }, 'a share was taken over');
    const held = new HeldShare(owned, item);
    this.#held.set(share, held);
    this.#troubles.delete(share);
    if (this.#stop.signal.aborted || !this.#shares.has(share)) held.letGo();
    const working = this.#hold(share, held).finally(() => this.#working.delete(working));
    this.#working.add(working);
  }

  async #hold(name: string, held: HeldShare<T>): Promise<void> {
    const { db, work, logger, kind } = this.#options;
    const { share } = held;
    try {
      await held.run(work);
      // The work ended by itself: it does not start again at once.
      if (!held.isEnding) this.#troubles.set(name, { reason: 'its work ended', untilMs: this.#soon() });
    } catch (error) {
      if (!share.signal.aborted) this.#noteTrouble(name, error);
    } finally {
      share.end();
      if (share.signal.aborted)
        logger.warn(
          { kind, share: name, token: share.token, reason: String(share.signal.reason) },
          'a share was lost',
        );
      // When this fails the row still names us: it is taken again (`#plan`).
      await releaseLease(db, share.claim).catch(() => undefined);
      this.#held.delete(name);
      this.lookNow();
    }
  }

  #noteTrouble(share: string, error: unknown): void {
    const { kind, logger } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#troubles.get(share)?.reason !== reason)
      logger.warn({ err: error, kind, share }, 'failed to acquire or renew share, will retry');
    this.#troubles.set(share, { reason, untilMs: this.#soon() });
  }

  /** When what went wrong is tried again. */
  #soon(): number {
    return performance.now() + this.#timing.lookMs;
  }

  #noteBlindness(error: unknown): void {
    const { kind, logger } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#lastError !== reason)
      logger.warn({ err: error, kind }, 'failed to read shares and owners, will retry');
    this.#lastError = reason;
  }

  /** Until the next look: soon enough for the lease that ends first. */
  #untilNextLook(): number {
    const others = [...this.#leases.values()].filter(({ owner }) => owner !== this.owner);
    const soonest = Math.min(this.#lookMs, ...others.map(({ leftMs }) => leftMs));
    return Math.max(soonest, SOON_MS);
  }
}
