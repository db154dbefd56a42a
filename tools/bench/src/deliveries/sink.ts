// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receivers of all kinds behind one port: `/ok`, `/hang` (answers after 10 s), `/random` (500 at random), `/gone`. */
export class Sink {
  /** When an event came first, by its id; performance.now(). Only what `/ok` got. */
  readonly arrivals = new Map<string, number>();
  requestCount = 0;
  /** While true every path answers like `/ok`. */
  isWellBehaved = false;
  url = '';
  #server: Server | undefined;
  #dice = 1;

  async start(): Promise<void> {
    this.#server = createServer((req, res) => {
      this.requestCount += 1;
      const eventId = String(req.headers['x-webhook-event-id']);
      if (req.url === '/ok' && !this.arrivals.has(eventId)) this.arrivals.set(eventId, performance.now());
      req.resume();
      req.on('end', () => this.#answer(req.url, res));
    });
    this.#server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', 4_096, resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  #answer(path: string | undefined, res: ServerResponse): void {
    if (this.isWellBehaved) return void res.writeHead(204).end();
    if (path === '/hang') return void setTimeout(() => res.writeHead(204).end(), 10_000);
    if (path === '/random') {
      this.#dice = (this.#dice * 48_271) % 2_147_483_647;
      return void res.writeHead(this.#dice % 2 === 0 ? 500 : 204).end();
    }
    res.writeHead(path === '/gone' ? 410 : 204).end();
  }
}
