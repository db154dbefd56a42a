// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A webhook endpoint whose answer a test decides. */
export interface Receiver {
  readonly url: string;
  readonly requests: {
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
    readonly atMs: number;
  }[];
  /** Default: 200. */
  answer: (req: IncomingMessage, res: ServerResponse) => void;
  readonly sockets: Set<Socket>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const requests: Receiver['requests'] = [];
  const sockets = new Set<Socket>();
  const receiver = { requests, sockets, answer: (_req, res) => void res.end('ok') } as Pick<
    Receiver,
    'requests' | 'answer' | 'sockets'
  >;
  const server: Server = createServer((req, res) => {
    const atMs = Date.now();
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      requests.push({
        url: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        atMs,
      });
      receiver.answer(req, res);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
