// SPDX-License-Identifier: Apache-2.0
import { LATENCY_BOUNDS_MS, latencyBucketOf } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { histogram } from '@chainwatch/platform/telemetry';
import type { Chain } from '../chains/chain.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { MethodRule } from '../methods/method-rule.ts';

/** What one key did with one method of one chain since the last collection. */
export interface UsageRow {
  readonly keyId: string;
  readonly workspaceId: string;
  readonly chainGid: string;
  /** `other` for names that this build does not know, because the sender chooses them. */
  readonly method: string;
  requests: number;
  /** Calls that the gateway refused itself, or that were answered with a 5xx status or, in a batch, its own error. */
  failures: number;
  /** Calls answered from the cache, or with another call's answer. */
  cached: number;
  bytesIn: number;
  bytesOut: number;
  /** From a call to the end of its answer, summed; a call of a batch takes as long as the batch. */
  latencyMs: number;
  /** Answered calls by how long they took, as LATENCY_BOUNDS_MS says. */
  readonly latencyCounts: number[];
}

const seconds = histogram('chainwatch_rpc_request_seconds', {
  description: 'From a request, single or batch, to its answer',
});

/** One for each bound, and one for what took longer. */
const BUCKETS = LATENCY_BOUNDS_MS.length + 1;

/** Counts in memory: a few additions per call, and no database access. */
export class UsageRecorder {
  #keys = new Map<string, Map<MethodRule | Chain, UsageRow>>();
  readonly #now: () => number;

  /** @param now milliseconds, monotonic */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts the calls of a request now, and the outcome when it is known. */
  open(
    { principal, chain, reply, body }: Pick<RpcRequest, 'principal' | 'chain' | 'reply' | 'body'>,
    calls: readonly { readonly rule: MethodRule }[],
  ): void {
    if (calls.length === 0) return;
    for (const { rule } of calls) this.#rowOf(principal, chain, rule).requests += 1;
    const first = calls[0]!.rule;
    this.#rowOf(principal, chain, first).bytesIn += body.length;
    const startedAt = this.#now();
    reply.onDone = ({ bytes, isFailure, failedCalls }) => {
      const ms = this.#now() - startedAt;
      seconds.record(ms / 1_000, { chain_gid: chain.network.gid });
      const bucket = latencyBucketOf(ms);
      // Looked up again, because a collection may have taken the row between the call and its answer.
      this.#rowOf(principal, chain, first).bytesOut += bytes;
      for (let index = 0; index < calls.length; index += 1) {
        const row = this.#rowOf(principal, chain, calls[index]!.rule);
        row.latencyMs += ms;
        row.latencyCounts[bucket]! += 1;
        if (isFailure || failedCalls?.has(index) === true) row.failures += 1;
      }
    };
  }

  /** Counts a call whose outcome is not followed. */
  countCall(
    principal: Principal,
    { chain, rule, bytesIn }: { readonly chain: Chain; readonly rule: MethodRule; readonly bytesIn: number },
  ): void {
    const row = this.#rowOf(principal, chain, rule);
    row.requests += 1;
    row.bytesIn += bytesIn;
  }

  countCached(principal: Principal, chain: Chain, rule: MethodRule): void {
    this.#rowOf(principal, chain, rule).cached += 1;
  }

  /** Takes what was counted; outcomes that come later count for the next collection. */
  collect(): UsageRow[] {
    const keys = this.#keys;
    this.#keys = new Map();
    return [...keys.values()].flatMap((rows) => [...rows.values()]);
  }

  #rowOf(principal: Principal, chain: Chain, rule: MethodRule): UsageRow {
    let rows = this.#keys.get(principal.keyId);
    if (rows === undefined) this.#keys.set(principal.keyId, (rows = new Map()));
    const key = rule.isKnown ? rule : chain;
    let row = rows.get(key);
    if (row === undefined) {
      row = {
        keyId: principal.keyId,
        workspaceId: principal.workspaceId,
        chainGid: chain.network.gid,
        method: rule.isKnown ? rule.method : 'other',
        requests: 0,
        failures: 0,
        cached: 0,
        bytesIn: 0,
        bytesOut: 0,
        latencyMs: 0,
        latencyCounts: new Array<number>(BUCKETS).fill(0),
      };
      rows.set(key, row);
    }
    return row;
  }
}
