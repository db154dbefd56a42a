import { Agent, buildConnector } from 'undici';
import type { Dial } from '@chainwatch/chain-core';

export interface GuardedAgentOptions {
  readonly connectTimeoutMs: number;
  /** From request sent to response headers. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of the body. */
  readonly bodyTimeoutMs: number;
  /** Sockets per origin; default unlimited. */
  readonly connections?: number;
  /** An idle socket is closed after this time, default 10,000. */
  readonly keepAliveTimeoutMs?: number;
}

/** An undici dispatcher that dials checked addresses only. It follows no redirect and never pipelines requests. */
export function createGuardedAgent(dial: Dial, options: GuardedAgentOptions): Agent {
  return new Agent({
    connect: createGuardedConnector(dial, options),
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.bodyTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 10_000,
    pipelining: 1,
    connections: options.connections,
  });
}

/** Makes an undici connector that dials checked addresses only. */
function createGuardedConnector(
  dial: Dial,
  options: { readonly connectTimeoutMs: number },
): buildConnector.connector {
  const connect = buildConnector({ timeout: options.connectTimeoutMs, lookup: dial.lookup as never });
  return (target, callback) => {
    // A literal address is never looked up by node's net, so it is checked here.
    try {
      dial.check(
        `${target.protocol}//${target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname}`,
      );
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    connect(target, callback);
  };
}
