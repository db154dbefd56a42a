// SPDX-License-Identifier: Apache-2.0
import type { TokenResult } from '@chainwatch/platform/cache';
import type { FamilyRpc } from '@chainwatch/chain-core';
import type { Principal } from '@chainwatch/data/key-store';
import { BODY_BYTES_MAX } from './read-body.ts';
import { BodyHeldError, BodyTooLargeError, type ReceivedBody, type RequestHandler } from './http-request.ts';
import type { ChainDirectory } from '../chains/chain-directory.ts';
import type { Chain } from '../chains/chain.ts';
import { FULL_RETRY_SECONDS } from '../limits/answer-full.ts';
import type { Full, MemoryQuota } from '../limits/tenants.ts';
import { type KeyLimits, tooMany } from '../limits/key-limits.ts';
import { NotACallError, scanBody, type ScannedBody } from '../json/scan-body.ts';
import { ClientReply } from './client-reply.ts';
import type { ClientRequest } from './client-request.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { type Authenticator, sayUnauthorized } from './authenticator.ts';

/** One accepted request: its principal, its chain, and the bytes that were sent. */
export interface RpcRequest {
  readonly req: ClientRequest;
  readonly reply: ClientReply;
  readonly principal: Principal;
  /** Pays for everything that is held for the request. */
  readonly quota: MemoryQuota;
  readonly chain: Chain;
  /** The rest of the URL after the chain's name, with its query: `/wallet/getnowblock`, or empty. */
  readonly rest: string;
  readonly body: Buffer;
}

export interface RpcHandlerOptions {
  readonly authenticator: Authenticator;
  readonly limits: KeyLimits;
  readonly directory: ChainDirectory;
  readonly serve: (request: RpcRequest, scanned: ScannedBody) => Promise<void>;
  /** HTTP interfaces of a family below the chain's address. */
  readonly servePath: (request: RpcRequest) => Promise<void>;
  readonly crossOrigin: CrossOrigin;
  readonly onUnexpected: (error: unknown) => void;
}

type BodyFault = ReceivedBody<Full>['error'];

interface ReceivedRequest {
  readonly req: ClientRequest;
  readonly reply: ClientReply;
  readonly error: BodyFault;
  readonly body: Buffer;
}

/** The hot route: `POST /{chain}`. A key and a limit that this process knows are not waited for. */
export function createRpcHandler(options: RpcHandlerOptions): RequestHandler<Full> {
  return (req, channel, { error, body }) => {
    const reply = new ClientReply(channel);
    try {
      if (req.headers.origin !== undefined)
        reply.crossOrigin = options.crossOrigin.headersFor(req.headers.origin);
      const principal = options.authenticator.findPrincipal(req);
      if (principal === undefined) return void admitSlowly(options, { req, reply, error, body });
      admit(options, principal, { req, reply, error, body });
    } catch (failure) {
      refuseUnexpected(options, reply, failure);
    }
  };
}

/** The key is not in the cache of this process. */
async function admitSlowly(options: RpcHandlerOptions, received: ReceivedRequest): Promise<void> {
  const { req, reply } = received;
  try {
    const principal = await options.authenticator.askPrincipal(req);
    if (principal !== undefined) return admit(options, principal, received);
    reply.limit = await options.authenticator.takeFailure(req);
    if (!reply.limit.allowed) return reply.refuse(429, tooMany(reply.limit));
    reply.refuse(401, sayUnauthorized(options.authenticator.bearerOf(req)));
  } catch (failure) {
    refuseUnexpected(options, reply, failure);
  }
}

function admit(
  options: RpcHandlerOptions,
  principal: Principal,
  { req, reply, error, body }: ReceivedRequest,
): void {
  const quota = options.authenticator.quotaOf(req, principal);
  reply.quota = quota;
  if (!options.authenticator.claim(req, quota)) return refuseConnection(req, reply);
  const { name, rest } = options.authenticator.bearerOf(req);
  const chain = options.directory.find(name);
  let scanned: ScannedBody | undefined;
  let fault: Fault | undefined;
  if (principal.keyType !== 'rpc') fault = [403, 'this key is not an RPC key'];
  else if (chain === undefined) fault = [404, 'network not found'];
  else fault = findFault(req, { chain, rest, error });
  if (fault === undefined && rest === '') {
    try {
      scanned = scanBody(body);
    } catch (failure) {
      if (!(failure instanceof NotACallError)) throw failure;
      fault = [400, `protocol mismatch: ${failure.message}`];
    }
  }
  const taken = options.limits.take(principal.keyId, Math.max(1, scanned?.calls.length ?? 1));
  const go = (limit: TokenResult): void => {
    reply.limit = limit;
    if (!limit.allowed) return reply.refuse(429, tooMany(limit));
    if (error instanceof BodyHeldError) return reply.fail(error.full);
    if (fault !== undefined) return reply.refuse(...fault);
    const request: RpcRequest = { req, reply, principal, quota, chain: chain!, rest, body };
    const served = scanned === undefined ? options.servePath(request) : options.serve(request, scanned);
    served.catch((failure: unknown) => refuseUnexpected(options, reply, failure));
  };
  if (!(taken instanceof Promise)) return go(taken);
  taken.then(go).catch((failure: unknown) => refuseUnexpected(options, reply, failure));
}

function refuseConnection(req: ClientRequest, reply: ClientReply): void {
  reply.onOut(() => req.socket.destroySoon());
  reply.refuse(429, 'too many connections for this key', ['Retry-After', FULL_RETRY_SECONDS]);
}

type Fault = [status: number, error: string];

function findFault(
  req: ClientRequest,
  { chain, rest, error }: { readonly chain: Chain; readonly rest: string; readonly error: BodyFault },
): Fault | undefined {
  if (error instanceof BodyTooLargeError)
    return [413, `the body is too large: expected at most ${BODY_BYTES_MAX} bytes`];
  if (error !== undefined)
    return [400, 'protocol mismatch: expected a body that is plain, gzip, deflate or br'];
  const reason = findRequestFault(req, chain.rpc, rest);
  return reason === undefined ? undefined : [400, `protocol mismatch: ${reason}`];
}

const JSON_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest']);

/** Why a request is not valid for a chain of this family; undefined when it is. */
function findRequestFault(req: ClientRequest, rpc: FamilyRpc, rest: string): string | undefined {
  if (rest !== '') return findPathFault(req, rpc, rest);
  if (req.method !== 'POST') return `expected POST, got ${req.method}`;
  const type = req.headers['content-type'];
  if (type === 'application/json' || type === undefined) return undefined;
  const plain = type.split(';', 1)[0]!.trim().toLowerCase();
  if (JSON_TYPES.has(plain) || rpc.contentTypes?.includes(plain)) return undefined;
  return 'expected the content type application/json';
}

function findPathFault(req: ClientRequest, { paths }: FamilyRpc, rest: string): string | undefined {
  if (rest.startsWith('?')) return 'expected no query';
  if (!paths?.pattern.test(rest)) return 'expected no path behind the network';
  return req.method === 'POST' || req.method === 'GET'
    ? undefined
    : `expected POST or GET, got ${req.method}`;
}

function refuseUnexpected(options: RpcHandlerOptions, reply: ClientReply, failure: unknown): void {
  options.onUnexpected(failure);
  reply.refuse(500, 'the gateway failed');
}
