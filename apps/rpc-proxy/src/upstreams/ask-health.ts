// SPDX-License-Identifier: Apache-2.0
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { AskNode, AskPaths, NodeHealth } from '@chainwatch/chain-core';
import type { Chain } from '../chains/chain.ts';
import { callPath, callUpstream, NodeRefusedError, NotServedError } from './call-upstream.ts';
import type { Upstream } from './upstream.ts';

const TIMEOUT_MS = 5_000;

/**
 * Which chain a node serves, and its head. What it refuses to say is undefined.
 * @throws Error when it does not answer
 */
export async function askHealth(
  upstream: Upstream,
  { network, rpc, servedPaths }: Chain,
): Promise<NodeHealth> {
  if (servedPaths !== undefined) {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const ask: AskPaths = async <T>(calls: Parameters<AskPaths>[0]): Promise<T> => {
      for (const call of calls.slice(0, -1)) {
        try {
          return await callPath<T>(upstream, { paths: servedPaths, question: call, signal });
        } catch (error) {
          if (!(error instanceof NotServedError || error instanceof NodeRefusedError)) throw error;
        }
      }
      return callPath<T>(upstream, { paths: servedPaths, question: calls.at(-1)!, signal });
    };
    return servedPaths.readHealth(ask, network);
  }
  const ask: AskNode = async <T>(method: string, params: readonly unknown[] = []): Promise<T | undefined> => {
    try {
      return await callUpstream<T>(upstream, { method, params, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (error) {
      if (error instanceof NodeRefusedError) return undefined;
      throw error;
    }
  };
  return rpc.readHealth(ask, network);
}

/** Asks the cheapest question of a node that may be gone. */
export async function isThere(
  upstream: Upstream,
  { rpc, servedPaths }: Chain,
  timeoutMs: number,
): Promise<boolean> {
  const stop = new AbortController();
  const question =
    servedPaths === undefined
      ? callUpstream(upstream, { method: rpc.probe, params: [], signal: stop.signal })
      : callPath(upstream, { paths: servedPaths, question: servedPaths.probe, signal: stop.signal });
  const answer = question.then(
    () => true,
    (error: unknown) => error instanceof NodeRefusedError,
  );
  const late = delay(timeoutMs, undefined, { ref: false }).then(async () => {
    // If this process itself stood still, its timers fire before it has read what arrived meanwhile.
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    return false;
  });
  return Promise.race([answer, late]).finally(() => stop.abort());
}
