// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What any server may do wrong, whatever it serves. */
export type TransportLie = 'time-out' | 'drop-connection' | 'rate-limit' | 'server-error' | 'truncate-json';

export type Json = Record<string, unknown>;

/** One request of the service to its node. */
export interface NodeRequest {
  readonly path: string;
  /** Undefined for an empty one. */
  readonly body: unknown;
}

const FORWARD_TIMEOUT_MS = 20_000;

/** A proxy before an honest node that misbehaves on command, a share of the time. No WebSocket: upgrades are refused. */
export abstract class LyingServer<L extends string> {
  lie: L | TransportLie | 'honest' = 'honest';
  /** How often it lies, 0…1. */
  share = 1;
  /** Answers that were not the node's. */
  lies = 0;
  url = '';
  readonly #upstream: string;
  #server: Server | undefined;

  constructor(upstream: string) {
    this.#upstream = upstream;
  }

  async start(): Promise<void> {
    this.#server = createServer((req, res) => void this.#handle(req, res));
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** Starts to lie. What lies about the head, lies about the head of now. */
  async tell(lie: L | TransportLie | 'honest', share = 1): Promise<void> {
    await this.freezeHead(lie);
    this.share = share;
    this.lie = lie;
  }

  /** Keeps what the node tells of its head now. */
  protected abstract freezeHead(lie: string): Promise<void>;

  /** What is answered in place of `answer`; that itself where the lie does not concern the request. */
  protected abstract bend(lie: L, request: NodeRequest, answer: unknown): unknown;

  protected sendRateLimit(res: ServerResponse): void {
    res.writeHead(429, { 'retry-after': '1' }).end('too many requests');
  }

  protected async ask(path: string, text: string): Promise<unknown> {
    const response = await fetch(this.#upstream + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    });
    return response.json();
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'POST') return void res.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const path = req.url ?? '/';
    const lie = Math.random() < this.share ? this.lie : 'honest';
    if (this.#refuse(lie, req, res)) return void (this.lies += 1);
    const answer = await this.ask(path, text).catch(() => undefined);
    if (answer === undefined) return void res.writeHead(502).end();
    const honest = JSON.stringify(answer);
    const told =
      lie === 'honest'
        ? honest
        : this.#distort(lie, {
            request: { path, body: text === '' ? undefined : JSON.parse(text) },
            answer,
            text: honest,
          });
    if (told !== honest) this.lies += 1;
    res.writeHead(200, { 'content-type': 'application/json' }).end(told);
  }

  #distort(
    lie: L | TransportLie,
    {
      request,
      answer,
      text,
    }: { readonly request: NodeRequest; readonly answer: unknown; readonly text: string },
  ): string {
    if (lie === 'truncate-json') return text.slice(0, Math.max(1, text.length >> 1));
    return JSON.stringify(this.bend(lie as L, request, answer));
  }

  /** Lies for which the node need not be asked. */
  #refuse(lie: string, req: IncomingMessage, res: ServerResponse): boolean {
    switch (lie) {
      case 'time-out':
        return true; // never answers; the caller's time-out ends it
      case 'drop-connection':
        req.socket.destroy();
        return true;
      case 'rate-limit':
        this.sendRateLimit(res);
        return true;
      case 'server-error':
        res.writeHead(502).end('<html>bad gateway</html>');
        return true;
      default:
        return false;
    }
  }
}

/** Another hash of the same form: hexadecimal and Base58 have a 2 and a 3. */
export const flip = (hash: string): string => `${hash.slice(0, -1)}${hash.endsWith('2') ? '3' : '2'}`;
