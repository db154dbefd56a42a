// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a node writes its answers. `core-1`: up to Core 27; `core-2`: from 28 on, to requests that say 2.0. */
export type Dialect = 'core-1' | 'core-2' | 'bcoin';

export class NodeError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Handler = (...params: never[]) => unknown;

export interface FakeNodeOptions {
  readonly methods: Record<string, Handler>;
  readonly dialect?: Dialect;
  /** Answers in place of the node where it returns something; `status` 0 closes the connection without an answer. */
  intercept?(call: {
    readonly method: string;
    readonly count: number;
    readonly isBatch: boolean;
  }): { status: number; text?: string } | undefined;
}

export interface FakeNode {
  readonly url: string;
  /** Every call, in order. */
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[];
  /** HTTP requests. */
  readonly requests: { readonly authorization: string | undefined; readonly isBatch: boolean }[];
  readonly methods: Record<string, Handler>;
  stop(): Promise<void>;
}

interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: never[];
}

/** A server that answers as a node does, to the byte where it matters: HTTP status, `result` beside `error`, `jsonrpc`. */
export async function startFakeNode({
  methods,
  dialect = 'core-1',
  intercept,
}: FakeNodeOptions): Promise<FakeNode> {
  const calls: FakeNode['calls'] = [];
  const requests: FakeNode['requests'] = [];
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = JSON.parse(await readText(req)) as RpcRequest | RpcRequest[];
    const isBatch = Array.isArray(body);
    requests.push({ authorization: req.headers.authorization, isBatch });
    const list = isBatch ? body : [body];
    calls.push(...list.map(({ method, params }) => ({ method, params })));
    const first = list[0]?.method ?? '';
    const other = intercept?.({
      method: first,
      count: calls.filter(({ method }) => method === first).length,
      isBatch,
    });
    if (other?.status === 0) return void req.socket.destroy();
    if (other !== undefined) return void res.writeHead(other.status).end(other.text);
    const answers = await Promise.all(list.map((request) => execute(methods, request)));
    const status = isBatch || dialect !== 'core-1' ? 200 : statusOf(answers[0]!);
    const written = answers.map((one) => write(dialect, one));
    res
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(isBatch ? written : written[0]));
  };
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://user:secret%2Fword@127.0.0.1:${port}`, calls, requests, methods, stop };
}

interface Answer {
  readonly id: unknown;
  readonly result: unknown;
  readonly error: { readonly code: number; readonly message: string } | null;
}

async function execute(
  methods: Record<string, Handler>,
  { id, method, params }: RpcRequest,
): Promise<Answer> {
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (handler === undefined)
    return { id, result: null, error: { code: -32601, message: 'Method not found' } };
  try {
    return { id, result: (await handler(...params)) ?? null, error: null };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return { id, result: null, error: { code: error.code, message: error.message } };
  }
}

/** Core up to 27 puts errors under HTTP errors. */
function statusOf({ error }: Answer): number {
  if (error === null) return 200;
  if (error.code === -32601) return 404;
  return error.code === -32600 ? 400 : 500;
}

function write(dialect: Dialect, { id, result, error }: Answer): unknown {
  if (dialect !== 'core-2') return { result, error, id };
  return error === null ? { jsonrpc: '2.0', result, id } : { jsonrpc: '2.0', error, id };
}

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
