// SPDX-License-Identifier: Apache-2.0
import { FOREVER, type CacheRule, type Lifetime } from '@chainwatch/chain-core';
import type { Chain } from '../chains/chain.ts';
import type { WholeReply } from '../upstream-request/outcome.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { holdsFailure } from './find-failure.ts';
import type { SharedStore } from './shared-store.ts';
import type { StoredReply } from './stored-reply.ts';

/** A local chain starts over with its node, and then has another head. */
const WHILE_LOCAL: Lifetime = { ms: Infinity, untilHead: true };

/** A call whose answer may be kept. */
export interface CacheCall {
  readonly chain: Chain;
  readonly key: string;
  readonly method: string;
  /** As text, parsed when there is something to keep. */
  readonly params: string;
  /** When the call was made. */
  readonly finalNumber: number;
  readonly stamp: number;
}

/** Answers that cannot change, and some that do not change for a moment (rpc-gateway.md, "Caching"). */
export class AnswerCache {
  readonly #store: MemoryStore;
  readonly #shared: SharedStore | undefined;

  /** @param shared the store that all replicas share */
  constructor(bytesMax: number, shared?: SharedStore) {
    this.#store = new MemoryStore(bytesMax);
    this.#shared = shared;
  }

  get bytes(): number {
    return this.#store.bytes;
  }

  /** @param seen the highest head that the caller has seen: what moves with the head may be older */
  find(chain: Chain, key: string, seen = -1): StoredReply | undefined {
    return this.#store.find(key, seen > chain.headNumber ? undefined : chain.headStamp);
  }

  /**
   * What another replica stored because it cannot change. Returns undefined at once if no replica can have stored it.
   */
  findShared(call: CacheCall): Promise<StoredReply | undefined> | undefined {
    if (this.#shared === undefined || !mayLast(call)) return undefined;
    return this.#shared
      .find(call.key)
      ?.then((stored) => (stored !== undefined && this.#adopt(call, stored) ? stored : undefined));
  }

  /** Keeps a reply for as long as its rule says. Answers of a node that is not in service are never kept. */
  keep(
    call: CacheCall,
    {
      reply,
      stored,
      upstream,
    }: { readonly reply: WholeReply; readonly stored: StoredReply; readonly upstream: Upstream },
  ): void {
    const { chain, key } = call;
    if (reply.status !== 200 || !chain.serves(upstream)) return;
    const result = findResult(reply.body);
    if (result === undefined || isEmpty(result)) return;
    // A node is no witness for what it has not reached itself: it answers with less, not with an error.
    const { head } = upstream;
    const finalNumber = Math.min(call.finalNumber, head?.final ?? head?.number ?? -1);
    const told = lifetimeOf({ ...call, finalNumber }, result);
    const lifetime = told === FOREVER && chain.network.isLocal ? WHILE_LOCAL : told;
    if (lifetime === FOREVER) this.#shared?.set(key, stored);
    if (lifetime === undefined) return;
    // The head moved while the node answered, so we cannot tell which head the answer belongs to.
    if (lifetime.untilHead && call.stamp !== chain.headStamp) return;
    // A key that has seen the head must not get what a node below it said.
    if (lifetime.ms !== Infinity && (head?.number ?? -1) < chain.headNumber) return;
    this.#store.set(key, {
      reply: stored,
      ms: lifetime.ms,
      stamp: lifetime.untilHead ? call.stamp : undefined,
    });
  }

  /**
   * Keeps another replica's answer here too. Cache rules learn from it as they do from a node's answers.
   * @returns false for one that is not kept: replicas of earlier releases stored answers with errors in them
   */
  #adopt(call: CacheCall, stored: StoredReply): boolean {
    const result = findResult(stored.body);
    if (result === undefined || isEmpty(result) || holdsFailure(result, ruleOf(call)?.isFact)) return false;
    if (lifetimeOf(call, result) === undefined) return false;
    this.#store.set(call.key, { reply: stored, ms: Infinity, stamp: undefined });
    return true;
  }
}

function ruleOf({ chain, method }: CacheCall): CacheRule | undefined {
  return chain.cacheRules.get(method);
}

function lifetimeOf(call: CacheCall, result: Buffer): Lifetime | undefined {
  const { params, finalNumber } = call;
  return ruleOf(call)?.lifetimeOf({ params: parseParams(params), finalNumber, result });
}

/**
 * Whether another replica may have stored this call's answer. It is decided before there is a reply, and saves the
 * question for most calls, which are about the head. A local chain starts over with its node, but Redis would keep the
 * old answers.
 */
function mayLast(call: CacheCall): boolean {
  const rule = ruleOf(call);
  return rule !== undefined && !call.chain.network.isLocal && (rule.mayLast?.(call.params) ?? true);
}

function findResult(body: Buffer): Buffer | undefined {
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply === undefined || reply.resultStart === -1) return undefined;
  if (reply.errorStart !== -1 && !isNull(body, reply.errorStart, reply.errorEnd)) return undefined;
  return body.subarray(reply.resultStart, reply.resultEnd);
}

function isEmpty(result: Buffer): boolean {
  return (
    result.length <= EMPTY_BYTES_MAX &&
    /^(null|\[[\s,]*(null[\s,]*)*\]|\{\s*\}|"0x"|"")$/.test(result.toString('latin1'))
  );
}

/** Longer results are not compared with the empty ones, however much space nodes write into them. */
const EMPTY_BYTES_MAX = 64;

function parseParams(text: string): readonly unknown[] {
  try {
    const params = JSON.parse(text || '[]') as unknown;
    return Array.isArray(params) ? params : [NAMED];
  } catch {
    return [NAMED];
  }
}

/** Some nodes accept parameters by name. A symbol in their place matches no rule's height or hash. */
const NAMED = Symbol('named');

interface Entry extends StoredReply {
  readonly expiresAt: number;
  /** The entry is valid while the chain's stamp is this one; undefined: valid whatever the head does. */
  readonly stamp: number | undefined;
  readonly size: number;
  isUsed: boolean;
}

/** The approximate size of an entry beyond its bytes. */
const OVERHEAD_BYTES = 300;

/** Replies by key, bounded by bytes. Entries that were not used since they were stored are evicted first. */
class MemoryStore {
  readonly #entries = new Map<string, Entry>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param stamp undefined: nothing that moves with the head */
  find(key: string, stamp: number | undefined): StoredReply | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || (stamp === undefined && entry.stamp !== undefined)) return undefined;
    if (
      (entry.stamp !== undefined && entry.stamp !== stamp) ||
      (entry.expiresAt !== Infinity && entry.expiresAt <= performance.now())
    ) {
      this.#drop(key, entry);
      return undefined;
    }
    entry.isUsed = true;
    return entry;
  }

  set(
    key: string,
    {
      reply,
      ms,
      stamp,
    }: { readonly reply: StoredReply; readonly ms: number; readonly stamp: number | undefined },
  ): void {
    const before = this.#entries.get(key);
    if (before !== undefined) this.#drop(key, before);
    const size = key.length * 2 + reply.body.length + OVERHEAD_BYTES;
    if (size > this.#bytesMax / 8) return;
    this.#entries.set(key, { ...reply, expiresAt: performance.now() + ms, stamp, size, isUsed: false });
    this.#bytes += size;
    this.#shrink();
  }

  // A second chance for an entry that was used: it moves to the end of the map's order.
  #shrink(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      if (!entry.isUsed) {
        this.#drop(key, entry);
        continue;
      }
      entry.isUsed = false;
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.size;
  }
}
