import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestListener } from 'node:http';

export interface HttpServerOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Default every address. */
  readonly host?: string;
  /** Longest whole request, default 60,000. */
  readonly requestTimeoutMs?: number;
}

export interface HttpServer {
  readonly port: number;
  /** Stops accepting, lets requests under way finish for at most `graceMs` (default 10,000), then cuts what is left. */
  close(graceMs?: number): Promise<void>;
}

/** Listens; requests that are no HTTP are answered with a problem as well. */
export async function startHttpServer(listener: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer({ requestTimeout: options.requestTimeoutMs ?? 60_000, headersTimeout: 15_000, keepAliveTimeout: 65_000 }, listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const [status, title] = error.code === 'HPE_HEADER_OVERFLOW' ? [431, 'Request Header Fields Too Large'] : [400, 'Invalid Request'];
    const body = JSON.stringify({ type: 'about:blank', title, status, detail: 'the request is not well-formed HTTP' });
    socket.end(`HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
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
