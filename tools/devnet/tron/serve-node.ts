// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { answerEvm, EvmError } from './answer-evm.ts';
import { answerWallet } from './answer-wallet.ts';
import { BadRequestError, readBody } from './read-body.ts';
import type { TronNode } from './tron-node.ts';

const BATCH_MAX = 100;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Java-tron's two interfaces on one port of 127.0.0.1: `/wallet/…`, `/walletsolidity/…` and `/jsonrpc`. Resolves when it
 * listens. No request ends the process: what is no JSON is 400, what is too large 413, what fails here 500.
 */
export async function serveNode(node: TronNode, port: number): Promise<Server> {
  const server = createServer((req, res) => {
    void answer(node, req)
      .catch((error: unknown) => toFailure(error, isEvm(req)))
      .then(({ status, body }) => {
        const text = JSON.stringify(body);
        res
          .writeHead(status, {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
            // The rest of a body that was too large is not read.
            ...(status === 413 && { connection: 'close' }),
          })
          .end(text);
      });
  });
  // A client that was busy for seconds finds its connection open: fetch does not send a POST twice.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  );
  return server;
}

const pathOf = (req: IncomingMessage): string => (req.url ?? '/').split('?', 1)[0]!.replace(/^\/+|\/+$/g, '');
const isEvm = (req: IncomingMessage): boolean => pathOf(req) === 'jsonrpc';

async function answer(node: TronNode, req: IncomingMessage): Promise<Answer> {
  if (isEvm(req)) {
    if (req.method !== 'POST') throw new BadRequestError(405, 'expected POST');
    const body = await readBody(req);
    return {
      status: 200,
      body: Array.isArray(body) ? await answerBatch(node, body) : await answerCall(node, body),
    };
  }
  if (req.method !== 'POST' && req.method !== 'GET') throw new BadRequestError(405, 'expected GET or POST');
  const body = await readBody(req);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new BadRequestError(400, 'expected a JSON object');
  const query = Object.fromEntries(new URLSearchParams(req.url!.split('?').slice(1).join('?')));
  const found = await answerWallet(node, pathOf(req), { ...query, ...body });
  return found === undefined ? { status: 404, body: {} } : { status: 200, body: found };
}

function toFailure(error: unknown, isJsonRpc: boolean): Answer {
  const status = error instanceof BadRequestError ? error.status : 500;
  const message = error instanceof Error ? error.message : String(error);
  return {
    status,
    body: isJsonRpc
      ? failure(null, status === 400 ? -32700 : -32600, status === 400 ? 'JSON parse error' : message)
      : { Error: `class java.lang.Exception : ${message}` },
  };
}

interface Call {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

function answerBatch(node: TronNode, calls: readonly unknown[]): Promise<unknown> {
  if (calls.length > BATCH_MAX)
    return Promise.resolve(
      failure(null, -32005, `Batch size ${calls.length} exceeds the limit of ${BATCH_MAX}`),
    );
  return Promise.all(calls.map((call) => answerCall(node, call)));
}

async function answerCall(node: TronNode, call: unknown): Promise<unknown> {
  if (typeof call !== 'object' || call === null || typeof (call as Call).method !== 'string')
    return failure((call as Call | null)?.id ?? null, -32600, 'Invalid Request');
  const { id = null, method, params = [] } = call as Call & { readonly method: string };
  try {
    if (!Array.isArray(params)) throw new EvmError(-32602, 'method parameters invalid');
    return { jsonrpc: '2.0', id, result: await answerEvm(node, method, params) };
  } catch (error) {
    return error instanceof EvmError
      ? failure(id, error.code, error.message)
      : failure(id, -32603, 'Internal error');
  }
}

const failure = (id: unknown, code: number, message: string): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, data: '{}' },
});
