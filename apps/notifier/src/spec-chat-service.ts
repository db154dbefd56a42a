// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Several, one with headers. */
export const INTERIM =
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';

export interface ChatRequest {
  readonly method: string;
  readonly url: URL;
  readonly type: string | undefined;
  readonly body: string;
  readonly atMs: number;
}

/** An HTTP server of a chat service. `answer` holds its contract. */
export class ChatService {
  url = '';
  /** Before each answer (RFC 9110 §15.2). */
  interim = '';
  /** A second request on a connection is not answered, and ends it. */
  closesKept = false;
  readonly #server: Server;

  constructor(answer: (request: ChatRequest) => ChatAnswer) {
    const used = new WeakSet<object>();
    this.#server = createServer((req, res) => {
      if (this.closesKept && used.has(req.socket)) return void req.socket.destroy();
      used.add(req.socket);
      req.socket.write(this.interim);
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const { status, headers, body } = answer(toRequest(req, Buffer.concat(chunks).toString()));
        res.writeHead(status, headers).end(body);
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function toRequest(req: IncomingMessage, body: string): ChatRequest {
  return {
    method: req.method ?? '',
    url: new URL(req.url ?? '', 'http://service'),
    type: req.headers['content-type'],
    body,
    atMs: Date.now(),
  };
}
