import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the node does wrong. `honest` passes everything on. */
export const LIES = [
  'time-out', 'rate-limit', 'drop-connection', 'truncate-json', 'lag', 'other-chain', 'omit-log', 'omit-receipt', 'omit-transaction',
  'empty-result', 'empty-receipts', 'change-hash', 'older-head', 'server-error', 'rpc-error', 'trace-error',
] as const;
export type Lie = (typeof LIES)[number] | 'honest';

type Json = Record<string, unknown>;
interface Call { id: unknown; method: string; params?: unknown[] }
interface Reply { id: unknown; result?: unknown; error?: unknown }

/** A JSON-RPC proxy before an honest node that misbehaves on command, a share of the time. No WebSocket: upgrades are refused. */
export class LyingProxy {
  lie: Lie = 'honest';
  /** How often it lies, 0…1. */
  share = 1;
  lies = 0;
  url = '';
  readonly #upstream: string;
  #server: Server | undefined;
  #frozenHead: Json | undefined;

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

  /** Starts to lie. `lag` and `older-head` need the head of now. */
  async tell(lie: Lie, share = 1): Promise<void> {
    const number = lie === 'older-head' ? await this.#numberBelowHead(3) : 'latest';
    this.#frozenHead = ((await this.#forward({ id: 1, method: 'eth_getBlockByNumber', params: [number, false] })) as Reply).result as Json;
    this.share = share;
    this.lie = lie;
  }

  async #numberBelowHead(depth: number): Promise<string> {
    const head = (await this.#forward({ id: 1, method: 'eth_blockNumber', params: [] })) as Reply;
    return `0x${Math.max(0, Number(head.result) - depth).toString(16)}`;
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    // An upgrade to WebSocket comes here too: this node has none.
    if (req.method !== 'POST') return void res.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
    const lie = Math.random() < this.share ? this.lie : 'honest';
    if (lie !== 'honest') this.lies += 1;
    if (lie === 'time-out') return; // never answers; the caller's time-out ends it
    if (lie === 'drop-connection') return void req.socket.destroy();
    if (lie === 'rate-limit') return void res.writeHead(429, { 'retry-after': '1' }).end('too many requests');
    if (lie === 'server-error') return void res.writeHead(502).end('<html>bad gateway</html>');
    const answer = await this.#forward(body).catch(() => undefined);
    if (answer === undefined) return void res.writeHead(502).end();
    const calls = Array.isArray(body) ? body : [body];
    const replies = (Array.isArray(answer) ? answer : [answer]).map((reply) => this.#bend(lie, calls.find((call) => call.id === reply.id), reply));
    const text = JSON.stringify(Array.isArray(body) ? replies : replies[0]);
    res.writeHead(200, { 'content-type': 'application/json' }).end(lie === 'truncate-json' ? text.slice(0, Math.max(1, text.length >> 1)) : text);
  }

  async #forward(body: Call | Call[]): Promise<Reply | Reply[]> {
    const text = Array.isArray(body) ? body.map((call) => ({ jsonrpc: '2.0', ...call })) : { jsonrpc: '2.0', ...body };
    const res = await fetch(this.#upstream, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(text) });
    return (await res.json()) as Reply | Reply[];
  }

  #bend(lie: Lie, call: Call | undefined, reply: Reply): Reply {
    const result = reply.result;
    const method = call?.method ?? '';
    const isLatest = method === 'eth_getBlockByNumber' && call?.params?.[0] === 'latest';
    switch (lie) {
      case 'rpc-error': return { id: reply.id, error: { code: -32000, message: 'header not found' } };
      case 'trace-error': return method.startsWith('trace_') || method.startsWith('debug_') ? { id: reply.id, error: { code: -32000, message: 'execution timeout' } } : reply;
      case 'empty-result': return /Block|Receipt|trace/.test(method) ? { ...reply, result: null } : reply;
      case 'empty-receipts': return method === 'eth_getBlockReceipts' ? { ...reply, result: [] } : reply;
      case 'other-chain':
        if (method === 'eth_chainId') return { ...reply, result: '0x1' };
        return isBlock(result) ? { ...reply, result: { ...result, hash: flip(String(result['hash'])), parentHash: flip(String(result['parentHash'])) } } : reply;
      case 'lag': case 'older-head':
        if (isLatest) return { ...reply, result: this.#frozenHead };
        if (method === 'eth_blockNumber') return { ...reply, result: this.#frozenHead?.['number'] };
        if (isBlock(result) && Number(result['number']) > Number(this.#frozenHead?.['number'])) return { ...reply, result: null };
        return reply;
      case 'change-hash': return isBlock(result) ? { ...reply, result: { ...result, hash: flip(String(result['hash'])) } } : reply;
      case 'omit-transaction': return isBlock(result) ? { ...reply, result: { ...result, transactions: (result['transactions'] as unknown[]).slice(1) } } : reply;
      case 'omit-receipt': return Array.isArray(result) && method === 'eth_getBlockReceipts' ? { ...reply, result: result.slice(0, -1) } : reply;
      case 'omit-log': return bendLogs(reply, method);
      default: return reply;
    }
  }
}

function bendLogs(reply: Reply, method: string): Reply {
  const result = reply.result;
  if (Array.isArray(result) && method === 'eth_getBlockReceipts') return { ...reply, result: result.map((receipt: Json) => ({ ...receipt, logs: (receipt['logs'] as unknown[]).slice(1) })) };
  if (Array.isArray(result) && method === 'eth_getLogs') return { ...reply, result: result.slice(1) };
  if (method === 'eth_getTransactionReceipt' && result !== null) return { ...reply, result: { ...(result as Json), logs: ((result as Json)['logs'] as unknown[]).slice(1) } };
  return reply;
}

const isBlock = (result: unknown): result is Json => typeof result === 'object' && result !== null && 'transactionsRoot' in result;
/** Another hash of the same form. */
const flip = (hash: string): string => (hash.endsWith('0') ? `${hash.slice(0, -1)}1` : `${hash.slice(0, -1)}0`);
