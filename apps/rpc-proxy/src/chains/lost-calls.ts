// SPDX-License-Identifier: Apache-2.0
import type { Attempt } from '../upstream-request/attempt.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** What is looked at of a call in flight. */
export type CallInFlight = Pick<Attempt, 'upstream' | 'startedAt' | 'isQueued' | 'isSent'>;

/** What is needed of the chain. */
interface Nodes {
  readonly upstreams: readonly Upstream[];
  readonly probe: (upstream: Upstream) => Promise<boolean>;
  refreshHead(): void;
}

const SUSPECT_MS = 80;
const PROBE_AGAIN_MS = 500;

/** Tells which calls in flight another node should answer, and finds the nodes that have fallen silent. */
export class LostCalls {
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
