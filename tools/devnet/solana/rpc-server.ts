// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import type { Ledger } from './ledger.ts';
import { accountMethods } from './methods/account-methods.ts';
import { blockMethods } from './methods/block-methods.ts';
import { controlMethods } from './methods/control-methods.ts';
import type { Method, MethodContext } from './methods/method.ts';
import { transactionMethods } from './methods/transaction-methods.ts';
import { RpcError } from './rpc-error.ts';
import { Subscriptions } from './subscriptions.ts';

interface Request {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

const METHODS: Readonly<Record<string, Method>> = {
  ...blockMethods,
  ...accountMethods,
  ...transactionMethods,
  ...controlMethods,
};

interface ServerOptions {
  readonly port: number;
  /** Between blocks; 0: on command only. */
  readonly intervalMs: number;
  readonly ledger: Ledger;
}

/** Solana's JSON-RPC over HTTP and WebSocket on `port`, and WebSocket alone on the port above, where clients look for it. */
export async function startRpcServer({ port, intervalMs, ledger }: ServerOptions): Promise<() => void> {
  const subscriptions = new Subscriptions(ledger);
  let timer: NodeJS.Timeout | undefined;
  const setIntervalMs = (ms: number): void => {
    clearInterval(timer);
    timer =
      ms === 0
        ? undefined
        : setInterval(() => {
            ledger.produce();
            subscriptions.notify();
          }, ms);
  };
  const context: MethodContext = { ledger, setIntervalMs };
  const answer = (request: Request): object => {
    const reply = answerOne(context, request);
    if (String(request.method).startsWith('devnet_')) subscriptions.notify();
    return reply;
  };
  const servers = [
    createServer((req, res) => void serve(req, res, answer)),
    createServer((_req, res) => void res.writeHead(405).end()),
  ];
  const sockets = new WebSocketServer({ noServer: true });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      const request = parseRequest(String(data));
      if (request === undefined) return socket.send(JSON.stringify(PARSE_ERROR));
      if (!isRequest(request)) return socket.send(JSON.stringify(INVALID_REQUEST));
      const params = Array.isArray(request.params) ? (request.params as unknown[]) : [];
      const subscribed = reply(request, () => subscriptions.handle(socket, String(request.method), params));
      socket.send(
        JSON.stringify(
          'result' in subscribed && subscribed.result === undefined ? answer(request) : subscribed,
        ),
      );
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => subscriptions.close(socket));
  });
  for (const server of servers)
    server.on('upgrade', (req, socket, head) =>
      sockets.handleUpgrade(req, socket, head, (upgraded) => sockets.emit('connection', upgraded, req)),
    );
  // `port` last: who reaches it finds everything there.
  for (const [index, server] of [...servers.entries()].reverse()) await listen(server, port + index);
  setIntervalMs(intervalMs);
  return () => {
    clearInterval(timer);
    for (const socket of sockets.clients) socket.terminate();
    for (const server of servers) server.close().closeAllConnections();
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

async function serve(
  req: IncomingMessage,
  res: ServerResponse,
  answer: (request: Request) => object,
): Promise<void> {
  if (req.method !== 'POST') return void res.writeHead(405).end();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of req) {
      bytes += (chunk as Buffer).length;
      // As Agave's `--rpc-max-request-body-size`.
      if (bytes > BODY_BYTES_MAX) return void res.writeHead(413, { connection: 'close' }).end();
      chunks.push(chunk as Buffer);
    }
  } catch {
    // The client left in the middle of its body.
    return;
  }
  const body = parseRequest(Buffer.concat(chunks).toString());
  const one = (request: unknown): object => (isRequest(request) ? answer(request) : INVALID_REQUEST);
  const reply = body === undefined ? PARSE_ERROR : Array.isArray(body) ? body.map(one) : one(body);
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
}

const BODY_BYTES_MAX = 50 * 1_024;
/** As Agave answers, under status 200. */
const PARSE_ERROR = { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' }, id: null };
const INVALID_REQUEST = { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid request' }, id: null };

/** Undefined for what is no JSON. */
function parseRequest(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isRequest(request: unknown): request is Request {
  return typeof request === 'object' && request !== null && typeof (request as Request).method === 'string';
}

function answerOne(context: MethodContext, request: Request): object {
  return reply(request, () => {
    const method = Object.hasOwn(METHODS, String(request.method))
      ? METHODS[String(request.method)]
      : undefined;
    if (method === undefined) throw new RpcError(-32601, 'Method not found');
    return method(context, Array.isArray(request.params) ? (request.params as unknown[]) : []);
  });
}

function reply({ id = null }: Request, work: () => unknown): { result?: unknown } {
  try {
    return { jsonrpc: '2.0', result: work(), id } as { result?: unknown };
  } catch (error) {
    const { code, message, data } =
      error instanceof RpcError
        ? error
        : new RpcError(-32603, `Internal error: ${error instanceof Error ? error.message : String(error)}`);
    return {
      jsonrpc: '2.0',
      error: { code, message, data },
      id,
    } as object;
  }
}
