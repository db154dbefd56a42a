// SPDX-License-Identifier: Apache-2.0
import type { Cache, Mark } from '@chainwatch/platform/cache';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../upstreams/clock.ts';

/** How long a key is kept from an older chain, and how long the node that took its write answers for it. */
const SESSION_MS = 30_000;
const SESSIONS_MAX = 10_000;
/** A number that stays the same is stored again after this time. */
const REFRESH_MS = 1_000;

/** The highest number that a key has seen. */
interface Height {
  number: number;
  /** On the chain's clock. */
  at: number;
  /** When other replicas were told. */
  storedAt: number;
}

/** The numbers that only rise for a key: its head, and others that are compared with their own kind alone. */
const HEAD = 'head';
const WRITE = 'write';

/**
 * What one key has seen of one chain, and which node took its last write. A call of the key goes to no node below its
 * head, and what may be known to that node alone is asked there (docs/rules/rpc-gateway.md, "What a key sees").
 */
export class KeySession {
  readonly #clock: Clock;
  readonly #heights = new Map<string, Height>();
  #write: { readonly node: string; readonly at: number; isStored: boolean } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The highest head that the key has seen; -1 if it is free to see any. */
  get number(): number {
    return this.#find(HEAD)?.number ?? -1;
  }

  /** Whether a node at this height, or an answer that tells it, is behind what the key has seen. */
  isAheadOf(number: number | undefined): boolean {
    return number !== undefined && number < this.number;
  }

  /** The node that took the key's last write. */
  get writtenTo(): string | undefined {
    return this.#write !== undefined && this.#clock.now - this.#write.at < SESSION_MS
      ? this.#write.node
      : undefined;
  }

  get hasWritten(): boolean {
    return this.writtenTo !== undefined;
  }

  /** The highest number of another kind, such as a final block; -1 if there is none. */
  heightOf(kind: string): number {
    return this.#find(kind)?.number ?? -1;
  }

  raise(number: number | undefined, kind = HEAD): void {
    if (number === undefined) return;
    const before = this.#find(kind);
    const { now } = this.#clock;
    if (before !== undefined && number < before.number) return;
    const storedAt = before?.number === number ? before.storedAt : -Infinity;
    this.#heights.set(kind, { number, at: now, storedAt });
  }

  noteWrite(node: string): void {
    this.#write = { node, at: this.#clock.now, isStored: false };
  }

  /** The chain starts afresh. */
  forget(): void {
    this.#heights.clear();
    this.#write = undefined;
  }

  /** What other replicas do not know yet. */
  takeNews(): Record<string, { number: number | undefined; value: string }> | undefined {
    let news: Record<string, { number: number | undefined; value: string }> | undefined;
    for (const [kind, height] of this.#heights) {
      // Without a new answer there is no news either.
      if (height.at <= height.storedAt || height.at - height.storedAt < REFRESH_MS) continue;
      height.storedAt = this.#clock.now;
      (news ??= {})[kind] = { number: height.number, value: '' };
    }
    if (this.#write?.isStored === false) {
      this.#write.isStored = true;
      (news ??= {})[WRITE] = { number: undefined, value: this.#write.node };
    }
    return news;
  }

  /** Redis did not take the news. */
  keepNews(): void {
    for (const height of this.#heights.values()) height.storedAt = -Infinity;
    if (this.#write !== undefined) this.#write.isStored = false;
  }

  /** What another replica stored. */
  learn(kind: string, { number, value: node, ageMs }: Mark): void {
    const at = this.#clock.now - ageMs;
    if (kind === WRITE) {
      if (this.#write === undefined || this.#write.at < at) this.#write = { node, at, isStored: true };
      return;
    }
    const before = this.#find(kind);
    if (number === undefined || (before !== undefined && before.number >= number)) return;
    this.#heights.set(kind, { number, at, storedAt: at });
  }

  #find(kind: string): Height | undefined {
    const height = this.#heights.get(kind);
    return height !== undefined && this.#clock.now - height.at < SESSION_MS ? height : undefined;
  }
}

/**
 * The sessions of one chain's keys. All replicas share them through Redis; where that is away each replica knows only
 * what went through itself.
 */
export class KeySessions {
  readonly #gid: string;
  readonly #clock: Clock;
  readonly #cache: Pick<Cache, 'marks' | 'isReady'> | undefined;
  readonly #sessions = new LRUCache<string, KeySession>({ max: SESSIONS_MAX });

  constructor(gid: string, clock: Clock, cache: Pick<Cache, 'marks' | 'isReady'> | undefined) {
    this.#gid = gid;
    this.#clock = clock;
    this.#cache = cache;
  }

  of(keyId: string): KeySession {
    let session = this.#sessions.get(keyId);
    if (session === undefined) this.#sessions.set(keyId, (session = new KeySession(this.#clock)));
    return session;
  }

  get isShared(): boolean {
    return this.#cache?.isReady === true;
  }

  /** Learns what other replicas know. @returns undefined at once if there is nothing to ask */
  load(keyId: string): Promise<void> | undefined {
    return this.isShared ? this.#exchange(keyId, {}) : undefined;
  }

  /** Tells other replicas, before the client has its answer. @returns undefined at once if there is no news */
  save(keyId: string): Promise<void> | undefined {
    if (!this.isShared) return undefined;
    const news = this.of(keyId).takeNews();
    return news && this.#exchange(keyId, news);
  }

  /** A local chain starts afresh. */
  forget(): void {
    for (const session of this.#sessions.values()) session.forget();
  }

  async #exchange(
    keyId: string,
    raise: Record<string, { number: number | undefined; value: string }>,
  ): Promise<void> {
    const key = `rpc:session:${this.#gid}|${keyId}`;
    const marks = await this.#cache!.marks({ key, ttlSeconds: SESSION_MS / 1_000, raise });
    const session = this.of(keyId);
    if (marks === undefined) session.keepNews();
    for (const [kind, mark] of marks ?? []) session.learn(kind, mark);
  }
}
