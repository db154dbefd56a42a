import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the node does wrong. `honest` passes everything on. */
export const LIES = [
  'omit-transaction', 'skip-slot', 'alter-balance', 'lag', 'change-hash', 'truncate-json', 'alter-signature', 'other-chain', 'rate-limit', 'server-error', 'rpc-error', 'empty-result',
  'time-out', 'drop-connection',
] as const;
export type Lie = (typeof LIES)[number] | 'honest';

type Json = Record<string, unknown>;
interface Call { id: unknown; method: string; params?: unknown[] }
interface Reply { id: unknown; result?: unknown; error?: unknown }

/** A JSON-RPC proxy before an honest node that misbehaves on command, a share of the time. */
export class LyingProxy {
  lie: Lie = 'honest';
  /** How often it lies, 0…1. */
  share = 1;
  lies = 0;
  url = '';
  readonly #upstream: string;
  #server: Server | undefined;
  #frozenSlot = 0;

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

  /** Starts to lie. `lag` stays at the head of now. */
  async tell(lie: Lie, share = 1): Promise<void> {
    this.#frozenSlot = Number((await this.#forward({ id: 1, method: 'getSlot', params: [{ commitment: 'confirmed' }] })).result);
    this.share = share;
    this.lie = lie;
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'POST') return void res.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const call = JSON.parse(Buffer.concat(chunks).toString()) as Call;
    const lie = Math.random() < this.share ? this.lie : 'honest';
    if (lie !== 'honest') this.lies += 1;
    if (lie === 'time-out') return; // never answers; the caller's time-out ends it
    if (lie === 'drop-connection') return void req.socket.destroy();
    if (lie === 'rate-limit') return void res.writeHead(429, { 'retry-after': '1' }).end('too many requests');
    if (lie === 'server-error') return void res.writeHead(502).end('<html>bad gateway</html>');
    const answer = await this.#forward(call).catch(() => undefined);
    if (answer === undefined) return void res.writeHead(502).end();
    const text = JSON.stringify(this.#bend(lie, call, answer));
    res.writeHead(200, { 'content-type': 'application/json' }).end(lie === 'truncate-json' ? text.slice(0, Math.max(1, text.length >> 1)) : text);
  }

  async #forward(call: Call): Promise<Reply> {
    const res = await fetch(this.#upstream, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', ...call }) });
    return (await res.json()) as Reply;
  }

  #bend(lie: Lie, { method, params = [] }: Call, reply: Reply): Reply {
    const { id, result } = reply;
    const slot = Number(params[0]);
    switch (lie) {
      case 'rpc-error': return { id, error: { code: -32005, message: 'Node is behind by 1000 slots' } };
      case 'empty-result': return method === 'getBlock' ? { ...reply, result: null } : reply;
      case 'other-chain': return method === 'getGenesisHash' ? { ...reply, result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' } : reply;
      case 'lag':
        if (method === 'getSlot') return { ...reply, result: Math.min(Number(result), this.#frozenSlot) };
        if (method === 'getBlocks' && Array.isArray(result)) return { ...reply, result: result.filter((one) => Number(one) <= this.#frozenSlot) };
        return method === 'getBlock' && slot > this.#frozenSlot ? { id, error: { code: -32004, message: `Block not available for slot ${slot}` } } : reply;
      case 'skip-slot':
        if (method === 'getBlocks' && Array.isArray(result)) return { ...reply, result: result.filter((one) => Number(one) % 2 === 0) };
        return method === 'getBlock' && slot % 2 !== 0 ? { id, error: { code: -32007, message: `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot` } } : reply;
      default: return isBlock(result) ? { ...reply, result: bendBlock(lie, result) } : reply;
    }
  }
}

function bendBlock(lie: Lie, block: Json): Json {
  const transactions = block['transactions'] as Json[] | undefined;
  if (lie === 'change-hash') return { ...block, blockhash: flip(String(block['blockhash'])) };
  if (transactions === undefined || transactions.length === 0) return block;
  const [first, ...others] = transactions as [Json, ...Json[]];
  if (lie === 'omit-transaction') return { ...block, transactions: others };
  if (lie === 'alter-balance') {
    const meta = first['meta'] as { postBalances: number[] };
    return { ...block, transactions: [{ ...first, meta: { ...meta, postBalances: meta.postBalances.map((amount, index) => (index === 1 ? amount + 7 : amount)) } }, ...others] };
  }
  const body = first['transaction'];
  if (lie !== 'alter-signature' || !Array.isArray(body)) return block;
  const bytes = Buffer.from(String(body[0]), 'base64');
  bytes.writeUInt8(bytes[2]! ^ 1, 2);
  return { ...block, transactions: [{ ...first, transaction: [bytes.toString('base64'), 'base64'] }, ...others] };
}

const isBlock = (result: unknown): result is Json => typeof result === 'object' && result !== null && 'previousBlockhash' in result;
/** Another hash of the same form. */
const flip = (hash: string): string => (hash.endsWith('2') ? `${hash.slice(0, -1)}3` : `${hash.slice(0, -1)}2`);
