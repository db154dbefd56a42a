// SPDX-License-Identifier: Apache-2.0
import {
  Agent as PlainAgent,
  request as requestPlainly,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as SecureAgent, request as requestSecurely } from 'node:https';
import type { Socket } from 'node:net';
import type { Dial } from '@chainwatch/chain-core';
import { hostOf } from './create-dial.ts';
import { createSocketOpener, type OpenerOptions } from './create-socket-opener.ts';
import { OutboundUrlError, UnansweredError } from './errors.ts';

export interface HttpClientOptions {
  /** Undefined: any address may be dialled. */
  readonly dial?: Dial | undefined;
  /** For look-up, connection, and TLS. */
  readonly connectTimeoutMs: number;
  /** An idle connection is closed after this time, or sooner if the server says so. Default 4,000. */
  readonly keepAliveTimeoutMs?: number;
}

export interface HttpRequest {
  /** Its credentials and fragment are not sent. */
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent twice where a kept connection turns out to be closed. */
  readonly body?: string | Uint8Array | undefined;
  /** Told when the request is on its way. */
  readonly sent?: (() => void) | undefined;
  /** Ends the request at any time, and the body. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** To be read or destroyed. It fails with the signal's reason, or with the connection. */
  readonly body: IncomingMessage;
}

export interface HttpClient {
  /** @throws BlockedAddressError and the like of the dial, the signal's reason, or the connection's error */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Closes idle connections, and ends requests under way. */
  close(): void;
}

const KEEP_ALIVE_MS = 4_000;

/**
 * HTTP/1.1 to checked addresses, on node:http. It reads past interim responses (RFC 9110 §15.2), follows no redirect, and
 * never pipelines. A request that a kept connection lost before any byte of its answer is sent once more, over a new
 * connection: the server had closed the old one (RFC 9112 §9.3.1). The signal limits both.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const kept = createAgents(options, {
    keepAlive: true,
    timeout: options.keepAliveTimeoutMs ?? KEEP_ALIVE_MS,
  });
  const fresh = createAgents(options, { keepAlive: false });
  const running: Running = new Set();
  return {
    request: (request) =>
      send(request, kept, running).catch((error: unknown) => {
        if (!(error instanceof LostConnection)) throw error;
        return send(request, fresh, running);
      }),
    close() {
      for (const end of running) end(new Error('the client was closed'));
      for (const agent of [...Object.values(kept), ...Object.values(fresh)]) agent.destroy();
    },
  };
}

/** Ends each request under way. */
type Running = Set<(reason: Error) => void>;

interface Agents {
  readonly 'http:': PlainAgent;
  readonly 'https:': SecureAgent;
}

function createAgents(
  { dial, connectTimeoutMs }: HttpClientOptions,
  options: { readonly keepAlive: boolean; readonly timeout?: number },
): Agents {
  const agents = { 'http:': new PlainAgent(options), 'https:': new SecureAgent(options) };
  for (const [protocol, agent] of Object.entries(agents)) {
    const opener: OpenerOptions = { dial, timeoutMs: connectTimeoutMs, isSecure: protocol === 'https:' };
    const open = createSocketOpener(opener);
    Object.assign(agent, {
      createConnection({ host, port }: Target, callback: (error: unknown, socket?: Socket) => void) {
        open(host, Number(port)).then((socket) => callback(null, socket), callback);
      },
    });
  }
  return agents;
}

interface Target {
  readonly host: string;
  readonly port: number | string;
}

/** The server had closed the connection before the request came. */
class LostConnection {}

function send(request: HttpRequest, agents: Agents, running: Running): Promise<HttpResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const req = open(request, agents);
    let bytesBefore = 0;
    let body: IncomingMessage | undefined;
    const end = (reason: Error): void => {
      (body ?? req).destroy(reason);
      reject(reason);
    };
    const onAbort = (): void => end(signal!.reason as Error);
    running.add(end);
    signal?.addEventListener('abort', onAbort, { once: true });
    req
      .once('socket', (socket: Socket) => (bytesBefore = socket.bytesRead))
      .once('finish', () => request.sent?.())
      .once('response', (response) => {
        // It may break before its reader has come.
        body = response.on('error', () => undefined);
        resolve({ status: response.statusCode!, headers: response.headers, body });
      })
      .on('error', (error) => {
        const isLost = isClosed(error) && req.reusedSocket && req.socket?.bytesRead === bytesBefore;
        reject(isLost && signal?.aborted !== true ? new LostConnection() : error);
      })
      .once('close', () => {
        running.delete(end);
        signal?.removeEventListener('abort', onAbort);
        // Node tells nothing else where the server changes the protocol unasked (RFC 9110 §15.2.2).
        if (body === undefined) reject(new UnansweredError());
      })
      .end(request.body);
  });
}

function open({ url, method, headers }: HttpRequest, agents: Agents): ClientRequest {
  const { protocol, pathname, search, port, ...rest } = parse(url);
  const options = { protocol, hostname: rest.host, port, path: pathname + search, method, headers };
  return protocol === 'https:'
    ? requestSecurely({ ...options, agent: agents['https:'] })
    : requestPlainly({ ...options, agent: agents['http:'] });
}

function parse(text: string): Record<'protocol' | 'host' | 'port' | 'pathname' | 'search', string> {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OutboundUrlError('expected an absolute URL with http or https');
  const { protocol, port, pathname, search } = url;
  return { protocol, host: hostOf(url), port, pathname, search };
}

function isClosed(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}
