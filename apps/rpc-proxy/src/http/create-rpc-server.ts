// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dial } from '@chainwatch/chain-core';
import type { KeyStore } from '@chainwatch/key-store';
import { closeWaitingAnswers, createDrain, type Logger } from '@chainwatch/telemetry';
import type { AnswerCache } from '../cache/answer-cache.ts';
import { servePath } from '../calls/serve-path.ts';
import { createServe } from '../calls/serve-request.ts';
import type { ChainDirectory } from '../chains/chain-directory.ts';
import type { KeyLimits } from '../limits/key-limits.ts';
import type { ClientConnections } from '../limits/client-connections.ts';
import type { Tenants } from '../limits/tenants.ts';
import { createUpgradeListener } from '../socket/upgrade-listener.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import { createCrossOrigin } from './cross-origin.ts';
import { createHttpServer } from './create-http-server.ts';
import type { Authenticator } from './authenticator.ts';
import { createRpcHandler } from './rpc-handler.ts';
import { createListListener } from './serve-list.ts';
import { createPreflightListener } from './serve-preflight.ts';

export interface RpcServerOptions {
  readonly dial: Dial;
  /** Between two pings to the node of a subscription; for specs. */
  readonly nodePingMs?: number;
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: number;
  readonly logger: Pick<Logger, 'error'>;
}

export interface RpcServerParts {
  readonly authenticator: Authenticator;
  readonly keys: KeyStore;
  readonly limits: KeyLimits;
  readonly connections: ClientConnections;
  readonly tenants: Tenants;
  readonly directory: ChainDirectory;
  readonly usage: UsageRecorder;
}

/** The server that clients connect to: calls over HTTP, and sockets. */
export interface RpcServer {
  /** Resolves with the port. */
  listen(at: { readonly port: number; readonly host?: string }): Promise<number>;
  /** Ends the sockets of a key, at once or from `endsAtMs` on; the hash is hexadecimal. */
  revoke(keyHash: string, endsAtMs: number): void;
  /** From now on each answer is the last one of its connection. */
  drain(): void;
  /** Lets calls in flight finish for `graceMs`, then cuts the remaining connections. */
  close(graceMs: number): Promise<void>;
}

export function createRpcServer(
  options: RpcServerOptions,
  parts: RpcServerParts,
  answers: AnswerCache | undefined,
): RpcServer {
  const http = createHttpServer({
    handle: createHandler(options, parts, answers),
    payers: parts.authenticator,
    answerOther: createPublicListener(options, parts),
  });
  const { server } = http;
  parts.connections.guard(server);
  closeWaitingAnswers(server);
  const draining = createDrain(server);
  const upgrade = createUpgradeListener({
    ...parts,
    dial: options.dial,
    nodePingMs: options.nodePingMs,
    // What a client reads after a notification must not be older than the notification: nothing comes from the cache.
    serve: createServe({ usage: parts.usage, cache: undefined }),
    onFault: (err) => options.logger.error({ err }, 'a session of a WebSocket failed'),
  });
  server.on('upgrade', upgrade);
  return {
    async listen({ port, host }) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: 4_096 }, resolve);
      });
      return (server.address() as AddressInfo).port;
    },
    revoke: upgrade.revoke,
    drain: () => draining.start(),
    async close(graceMs) {
      await Promise.all([upgrade.close(graceMs), http.close(graceMs)]);
    },
  };
}

function createHandler(
  { corsOrigins, logger }: RpcServerOptions,
  { authenticator, limits, directory, usage }: RpcServerParts,
  answers: AnswerCache | undefined,
) {
  return createRpcHandler({
    authenticator,
    limits,
    directory,
    serve: createServe({ usage, cache: answers }),
    servePath: servePath(usage),
    crossOrigin: createCrossOrigin(corsOrigins),
    onUnexpected: (err) => logger.error({ err }, 'a call failed unexpectedly'),
  });
}

/**
 * Serves requests without a key: preflights and the list of networks.
 * @returns false if the request is a call
 */
function createPublicListener(
  { corsOrigins, trustedProxies }: RpcServerOptions,
  { limits, directory }: RpcServerParts,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const crossOrigin = createCrossOrigin(corsOrigins);
  const serveList = createListListener({ directory, limits, crossOrigin, trustedProxies });
  const servePreflight = createPreflightListener({ limits, crossOrigin, trustedProxies });
  return (req, res) => {
    if (req.method === 'OPTIONS' && servePreflight(req, res)) return true;
    if (req.url !== '/' && req.url !== '' && !req.url?.startsWith('/?')) return false;
    serveList(req, res);
    return true;
  };
}
