// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { closeWaitingAnswers, createDrain } from '../telemetry/index.ts';

export interface HttpServerOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Default: every address. */
  readonly host?: string;
  /** Longest time to receive a whole request, default 60,000. */
  readonly requestTimeoutMs?: number;
  /** Requests whose bodies may take longer, up to `longRequestTimeoutMs`: they watch over their sender. */
  readonly isLong?: (req: IncomingMessage) => boolean;
  readonly longRequestTimeoutMs?: number;
  /** Longest time to receive a request's head, default 15,000. */
  readonly headersTimeoutMs?: number;
  /** Additional headers for the answer to bytes that never became a request. */
  readonly badRequestHeaders?: () => Readonly<Record<string, string | number>>;
}

export interface HttpServer {
  readonly port: number;
  /** From now on every answer ends its connection; new connections are still accepted. */
  drain(): void;
  /**
   * Stops accepting, lets requests in flight finish for at most `graceMs` (default 10,000), then cuts the remaining
   * connections.
   */
  close(graceMs?: number): Promise<void>;
}

/** Starts listening. Bytes that are not an HTTP request are also answered with a problem. */
export async function startHttpServer(
  listener: RequestListener,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const { requestTimeoutMs = 60_000, headersTimeoutMs: headersTimeout = 15_000, isLong } = options;
  const { longRequestTimeoutMs: requestTimeout = requestTimeoutMs } = options;
  const connectionsCheckingInterval = Math.min(5_000, headersTimeout, requestTimeoutMs);
  const server = createServer(
    { requestTimeout, headersTimeout, connectionsCheckingInterval, keepAliveTimeout: 65_000 },
    listener,
  );
  closeWaitingAnswers(server);
  if (isLong !== undefined)
    server.on('request', (req) => {
      if (!isLong(req)) limitTime(server, req, requestTimeoutMs);
    });
  const drain = createDrain(server);
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // A client that sent HEAD would take a body for the next answer.
    const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
    socket.end(describeBadRequest(error.code, isHead, options.badRequestHeaders?.() ?? {}));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    drain: drain.start,
    close: (graceMs = 10_000) =>
      new Promise<void>((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/** Ends a request whose body does not arrive in time as the server ends those that take longest. */
function limitTime(server: Server, req: IncomingMessage, timeoutMs: number): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  if ((length === undefined || length === '0') && encoding === undefined) return;
  const timer = setTimeout(() => {
    const error = Object.assign(new Error('the request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    if (!req.complete) server.emit('clientError', error, req.socket);
  }, timeoutMs).unref();
  req.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}

/** The complete answer to bytes that never became a request. */
function describeBadRequest(
  code: string | undefined,
  isHead: boolean,
  more: Readonly<Record<string, string | number>>,
): string {
  const [status, title, detail] = BAD_REQUESTS[code ?? ''] ?? [
    400,
    'Invalid Request',
    'The request is not well-formed HTTP.',
  ];
  const body = JSON.stringify({ type: 'about:blank', title, status, detail });
  const headers = [
    `X-Request-Id: ${randomUUID()}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(more).map(([name, value]) => `${name}: ${value}`),
  ];
  return `HTTP/1.1 ${status} ${title}\r\n${headers.join('\r\n')}\r\n\r\n${isHead ? '' : body}`;
}

const BAD_REQUESTS: Readonly<Record<string, readonly [status: number, title: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The head of the request is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
};
