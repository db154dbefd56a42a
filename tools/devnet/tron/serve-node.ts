import { createServer, type IncomingMessage, type Server } from 'node:http';
import { answerEvm, EvmError } from './answer-evm.ts';
import { answerWallet } from './answer-wallet.ts';
import type { TronNode } from './tron-node.ts';

const BATCH_MAX = 100;

/** Java-tron's two interfaces on one port of 127.0.0.1: `/wallet/…`, `/walletsolidity/…` and `/jsonrpc`. Resolves when it listens. */
export async function serveNode(node: TronNode, port: number): Promise<Server> {
  const server = createServer((req, res) => {
    void answer(node, req).then(({ status, body }) => {
      const text = JSON.stringify(body);
      res
        .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
    });
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  );
  return server;
}

async function answer(node: TronNode, req: IncomingMessage): Promise<{ status: number; body: unknown }> {
  const url = new URL(req.url ?? '/', 'http://127.0.0.1');
  const method = url.pathname.replace(/^\/+|\/+$/g, '');
  const body = parse(await readText(req));
  if (method === 'jsonrpc')
    return {
      status: 200,
      body: Array.isArray(body)
        ? await answerBatch(node, body as Call[])
        : await answerCall(node, body as Call),
    };
  const found = await answerWallet(node, method, {
    ...Object.fromEntries(url.searchParams),
    ...(body as object),
  });
  return found === undefined ? { status: 404, body: {} } : { status: 200, body: found };
}

interface Call {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: readonly unknown[];
}

function answerBatch(node: TronNode, calls: readonly Call[]): Promise<unknown> {
  if (calls.length > BATCH_MAX)
    return Promise.resolve(
      failure(null, -32005, `Batch size ${calls.length} exceeds the limit of ${BATCH_MAX}`),
    );
  return Promise.all(calls.map((call) => answerCall(node, call)));
}

async function answerCall(node: TronNode, { id = null, method = '', params = [] }: Call): Promise<unknown> {
  try {
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

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  return text === '' ? {} : JSON.parse(text);
}
