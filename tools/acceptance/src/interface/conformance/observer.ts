// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@chainwatch/testing';

export interface Delivery {
  readonly method: string;
  /** Where the channel points, one for each. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly receivedAtMs: number;
}

/** A customer's endpoint that believes nothing: it keeps requests as they came. What comes under `/silent` is never answered. */
export class Observer {
  readonly deliveries: Delivery[] = [];
  /** Where the next request fails. */
  readonly failing = new Set<string>();
  url = '';
  #server: Server | undefined;

  async start(): Promise<void> {
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        this.deliveries.push({
          method: req.method!,
          path: req.url!,
          headers: req.headers,
          raw: Buffer.concat(chunks),
          receivedAtMs: Date.now(),
        });
        if (!req.url!.startsWith('/silent')) res.writeHead(this.failing.delete(req.url!) ? 500 : 204).end();
      });
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
  }

  /** The first one, now or later, that fits. */
  find(message: string, fits: (delivery: Delivery) => boolean): Promise<Delivery> {
    return waitFor(() => this.deliveries.find(fits), { message });
  }
}

/** The body as JSON. */
export function bodyOf({ raw }: Delivery): Record<string, unknown> {
  return JSON.parse(raw.toString()) as Record<string, unknown>;
}
