// SPDX-License-Identifier: Apache-2.0
import { AsyncLocalStorage } from 'node:async_hooks';
import { isTracing, startCall } from '@chainwatch/platform/telemetry';
import type { Upstream } from '../upstreams/upstream.ts';
import type { AttemptOutcome } from './attempt.ts';

/** Starts the span of a request to a node; what it returns ends it. */
export type TraceAttempt = (upstream: Upstream) => ReturnType<typeof startCall>;

/**
 * Makes spans in the trace of the call that asks, also for a second request that a clock starts. Of the node's URL they tell
 * the host alone: the rest may be a secret. Undefined while no spans are recorded.
 */
export function traceAttempts(method: string): TraceAttempt | undefined {
  if (!isTracing()) return undefined;
  const inTrace = AsyncLocalStorage.snapshot();
  return ({ source }) => {
    const { hostname, port } = new URL(source.url);
    const attributes = {
      ...{ 'rpc.system': 'jsonrpc', 'rpc.method': method },
      ...{ 'server.address': hostname, 'server.port': port === '' ? undefined : Number(port) },
    };
    return inTrace(() => startCall(method, attributes));
  };
}

/** How an attempt failed, for `error.type`; undefined for an answer. */
export function failureOf(outcome: AttemptOutcome): string | undefined {
  if (outcome.type === 'error') return (outcome.error as { code?: string }).code ?? outcome.error.name;
  if (outcome.type === 'whole') return outcome.reply.status >= 500 ? String(outcome.reply.status) : undefined;
  return outcome.type === 'large' ? undefined : outcome.type;
}
