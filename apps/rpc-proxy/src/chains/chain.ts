// SPDX-License-Identifier: Apache-2.0
import type { Cache } from '@chainwatch/platform/cache';
import {
  blocksIn,
  BlockTime,
  type CacheRule,
  type ChainNotation,
  type FamilyRpc,
  type Network,
  type NodeHead,
  type RpcPaths,
} from '@chainwatch/chain-core';
import type { MethodRule } from '../methods/method-rule.ts';
import type { Clock } from '../upstreams/clock.ts';
import { type KeySession, KeySessions } from './key-session.ts';
import { HedgeBudget, pickOnly, pickUpstream } from './pick-upstream.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { FilterRegistry } from './filter-registry.ts';
import type { Attempt } from '../upstream-request/attempt.ts';

/** `mismatch`: the reply had the id of another call. */
export type Outcome = 'ok' | 'error' | 'busy' | 'unable' | 'slow' | 'mismatch' | 'stale';

export interface PickOptions {
  readonly session: KeySession;
  readonly first?: Upstream | undefined;
  /** The reply itself tells whether it is too old, so that any node may be asked. */
  readonly checksReply: boolean;
}

export interface ChainOptions {
  readonly network: Network;
  readonly family: ChainNotation;
  readonly clock: Clock;
  readonly ruleOf: (method: string) => MethodRule;
  readonly filters: FilterRegistry;
  /** Shares with the other replicas what keys have seen; absent: each replica knows its own. */
  readonly cache?: Pick<Cache, 'marks' | 'isReady'> | undefined;
  readonly isCached?: boolean | undefined;
}

/** A node further behind the others does not serve. */
const LAG_MS = 5_000;
const LAG_BLOCKS_MIN = 3;

/** One network that the gateway serves: its nodes, their common head, and its method rules. */
export class Chain {
  network: Network;
  readonly family: ChainNotation;
  readonly rpc: FamilyRpc;
  /** The permissions that a key needs for this chain. */
  readonly permissions: { readonly read: string; readonly send: string };
  readonly cacheRules: ReadonlyMap<string, CacheRule>;
  /** Measured from the heads that its nodes tell. */
  readonly blockTime: BlockTime;
  readonly clock: Clock;
  readonly isCached: boolean;
  readonly ruleOf: (method: string) => MethodRule;
  readonly hedges = new HedgeBudget();
  readonly filters: FilterRegistry;
  /** What each key has seen, over either interface. */
  readonly sessions: KeySessions;
  /** The same network over its family's path interface, whose nodes may differ from those of its JSON-RPC. */
  readonly paths: Chain | undefined;
  /** Set only for a chain that is the path interface of another one. */
  readonly servedPaths: RpcPaths | undefined;
  upstreams: readonly Upstream[] = [];
  /** The operator took the network away. One of the same name that comes later is another chain. */
  isGone = false;
  /** Highest head of the serving nodes. */
  headNumber = -1;
  /** Changes with every new head and every write. Short-lived answers are valid for one value of it. */
  headStamp = 0;
  /** Changes with every write, whatever became of it. A call joins none that began before the last one. */
  writeStamp = 0;
  /** Lowest final height among the serving nodes. Never falls. */
  finalNumber = -1;
  /** Attempts by node and outcome, for the metrics. */
  readonly outcomes = new Map<Upstream, Record<Outcome, number>>();
  /** Asks a node that is silent although calls are in flight; false if it stays silent. */
  probe: (upstream: Upstream) => Promise<boolean> = async () => true;
  /** Which calls in flight another node should answer. */
  readonly lost = new LostCalls(this);
  readonly #pathsOf: Chain | undefined;

  /** @param pathsOf the chain whose path interface this is */
  constructor(options: ChainOptions, pathsOf?: Chain) {
    const { network, family, clock, ruleOf, filters, isCached = true } = options;
    this.network = network;
    this.family = family;
    this.rpc = family.rpc;
    this.permissions = { read: `rpc:${family.name}:read`, send: `rpc:${family.name}:send` };
    this.blockTime = pathsOf?.blockTime ?? new BlockTime(network);
    this.cacheRules = pathsOf?.cacheRules ?? family.rpc.createCacheRules(this.blockTime);
    this.clock = clock;
    this.isCached = isCached;
    this.filters = filters;
    this.sessions =
      pathsOf?.sessions ?? new KeySessions(network.gid, clock, network.isLocal ? undefined : options.cache);
    this.ruleOf = ruleOf;
    this.servedPaths = pathsOf && family.rpc.paths;
    this.#pathsOf = pathsOf;
    this.paths =
      family.rpc.paths !== undefined && pathsOf === undefined ? new Chain(options, this) : undefined;
  }

  /** There are nodes, and none has completed its first health check. */
  get isStarting(): boolean {
    return this.upstreams.length > 0 && this.upstreams.every(({ isChecked }) => !isChecked);
  }

  /**
   * The node for the next call. `behind`: there are nodes, but none has reached what the key has seen.
   * @param first the node that is chosen if it serves and was not tried
   */
  pick(
    tried: readonly Upstream[],
    { session, first, checksReply }: PickOptions,
  ): Upstream | 'behind' | undefined {
    if (this.upstreams.length === 1) return pickOnly(this.upstreams[0]!, tried);
    if (
      first !== undefined &&
      this.upstreams.includes(first) &&
      !tried.includes(first) &&
      this.#mayServe(first, session)
    )
      return first;
    const isAllowed = (upstream: Upstream): boolean =>
      checksReply || !session.isAheadOf(upstream.head?.number);
    const picked = pickUpstream(this.upstreams.filter(isAllowed), tried, (upstream) =>
      this.#mayServe(upstream, session),
    );
    if (picked?.isDown === false) return picked;
    // A node that is up and may catch up is worth waiting for; one that is down is not asked meanwhile.
    return this.upstreams.some((upstream) => !isAllowed(upstream) && !tried.includes(upstream))
      ? 'behind'
      : picked;
  }

  /** The node that took the key's last write, for what may be known there alone. */
  findWritten(session: KeySession): Upstream | undefined {
    const { writtenTo } = session;
    return writtenTo === undefined
      ? undefined
      : this.upstreams.find((upstream) => upstream.name === writtenTo);
  }

  /** Asks the nodes for their heads at once, because a call waits for them. */
  hurryHealth(): void {
    for (const upstream of this.upstreams) upstream.hurryHealth();
  }

  canHedge(tried: readonly Upstream[], session: KeySession): boolean {
    return (
      this.hedges.hasOne &&
      this.upstreams.some((upstream) => !tried.includes(upstream) && this.#mayServe(upstream, session))
    );
  }

  /** Serves, and does not take the key backwards. */
  #mayServe(upstream: Upstream, session: KeySession): boolean {
    return this.serves(upstream) && !session.isAheadOf(upstream.head?.number);
  }

  /** Healthy, of this chain, and not behind the others. */
  serves(upstream: Upstream): boolean {
    if (
      !upstream.isChecked ||
      upstream.isDown ||
      upstream.isWrongChain ||
      upstream.pausedUntil > this.clock.now
    )
      return false;
    return !this.lags(upstream);
  }

  lags(upstream: Upstream): boolean {
    const blocksMax = blocksIn(LAG_MS, this.blockTime, LAG_BLOCKS_MIN);
    return upstream.head !== undefined && upstream.head.number < this.headNumber - blocksMax;
  }

  /** An answer revealed a head that the last poll did not know yet. */
  learnHead(upstream: Upstream, number: number): void {
    if (upstream.head !== undefined)
      this.setHead(upstream, { ...upstream.head, number, hash: `${number}`, timeMs: undefined });
  }

  setHead(upstream: Upstream, head: NodeHead): void {
    const before = upstream.head;
    upstream.head = head;
    this.blockTime.note({ number: head.number, timeMs: head.timeMs ?? 0 });
    if (before?.number !== head.number || before.hash !== head.hash || before.final !== head.final)
      this.refreshHead();
  }

  refreshHead(): void {
    const serving = this.upstreams.filter(
      ({ isDown, isWrongChain, isChecked, head }) =>
        !isDown && !isWrongChain && isChecked && head !== undefined,
    );
    if (serving.length === 0) return;
    const highest = Math.max(...serving.map(({ head }) => head!.number));
    // A local chain that is lower than before starts afresh.
    if (this.network.isLocal && highest < this.headNumber) this.sessions.forget();
    this.headNumber = highest;
    const finals = serving.filter((upstream) => !this.lags(upstream)).map(({ head }) => head!.final ?? -1);
    if (finals.length > 0) this.finalNumber = Math.max(this.finalNumber, Math.min(...finals));
    this.headStamp += 1;
  }

  /**
   * A write is over, so answers of before may be out of date.
   * @param isSigned it was a transaction; any other write may take a local chain back to where it was
   */
  noteWrite(isSigned: boolean): void {
    if (this.network.isLocal && !isSigned) this.sessions.forget();
    this.headStamp += 1;
    this.writeStamp += 1;
    this.#pathsOf?.noteWrite(isSigned);
  }

  count(upstream: Upstream, outcome: Outcome): void {
    let counts = this.outcomes.get(upstream);
    // Of a node that was removed nothing is told any more.
    if (counts === undefined && !this.upstreams.includes(upstream)) return;
    if (counts === undefined)
      this.outcomes.set(
        upstream,
        (counts = { ok: 0, error: 0, busy: 0, unable: 0, slow: 0, mismatch: 0, stale: 0 }),
      );
    counts[outcome] += 1;
  }
}

/** What is looked at of a call in flight. */
type CallInFlight = Pick<Attempt, 'upstream' | 'startedAt' | 'isQueued' | 'isSent'>;

/** What is needed of the chain. */
interface Nodes {
  readonly upstreams: readonly Upstream[];
  readonly probe: (upstream: Upstream) => Promise<boolean>;
  refreshHead(): void;
}

const SUSPECT_MS = 80;
const PROBE_AGAIN_MS = 500;

/** Tells which calls in flight another node should answer, and finds the nodes that have fallen silent. */
class LostCalls {
  readonly #chain: Nodes;
  /** When a node may be asked again whether it is still there. */
  readonly #nextProbeAt = new WeakMap<Upstream, number>();

  constructor(chain: Nodes) {
    this.#chain = chain;
  }

  /**
   * Neither the call nor its node has received a byte for a while, and the node is out of service; or the call waits for
   * its turn at such a node. A node that is silent is asked whether it is still there.
   */
  has(call: CallInFlight, now: number): boolean {
    if (this.isHopeless(call)) return true;
    const { upstream, startedAt, isQueued, isSent } = call;
    if (isQueued) return upstream.isDown;
    if (!isSent || !this.#chain.upstreams.some((other) => other !== upstream)) return false;
    const silentMs = now - Math.max(startedAt, upstream.lastHeardAt);
    if (silentMs < SUSPECT_MS) return false;
    this.#probe(upstream, { now, silentMs });
    return upstream.isDown;
  }

  /**
   * No answer is to be hoped for: the node was found silent since the call began, or the call waits for its turn at a node
   * that gets no more calls. A node that is merely down may still answer.
   */
  isHopeless({ upstream, startedAt, isQueued }: CallInFlight): boolean {
    if (upstream.silentAt >= startedAt) return true;
    return isQueued && (upstream.isWrongChain || !this.#chain.upstreams.includes(upstream));
  }

  #probe(upstream: Upstream, { now, silentMs }: { readonly now: number; readonly silentMs: number }): void {
    if (now < (this.#nextProbeAt.get(upstream) ?? 0)) return;
    this.#nextProbeAt.set(upstream, now + Math.max(PROBE_AGAIN_MS, silentMs));
    void this.#chain.probe(upstream).then((isThere) => {
      // A node that has answered a call since then is there, however slow it is.
      if (isThere || upstream.lastHeardAt >= now) return;
      upstream.fallSilent();
      this.#chain.refreshHead();
    });
  }
}
