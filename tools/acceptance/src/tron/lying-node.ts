import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the node does wrong. `honest` passes everything on. */
export const LIES = [
  'time-out', 'rate-limit', 'truncate-json', 'lag', 'other-chain', 'change-id', 'omit-transaction', 'change-result', 'omit-record', 'omit-log', 'empty-records', 'error-as-answer',
] as const;
export type Lie = (typeof LIES)[number] | 'honest';

type Json = Record<string, unknown>;

/** A proxy before the local TRON node, both its interfaces, that misbehaves on command, a share of the time. */
export class LyingNode {
  lie: Lie = 'honest';
  /** How often it lies, 0…1. */
  share = 1;
  lies = 0;
  url = '';
  readonly #upstream: string;
  #server: Server | undefined;
  #frozen: Json = {};

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

  async tell(lie: Lie, share = 1): Promise<void> {
    this.#frozen = (await this.#forward('/wallet/getblock', '{"detail":false}')) as Json;
    this.share = share;
    this.lie = lie;
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = req.url ?? '/';
    const lie = Math.random() < this.share ? this.lie : 'honest';
    if (lie === 'time-out') return void (this.lies += 1); // never answers; the caller's time-out ends it
    if (lie === 'rate-limit') {
      this.lies += 1;
      return void res.writeHead(200).end('{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}');
    }
    const honest = await this.#forward(path, body).catch(() => undefined);
    if (honest === undefined) return void res.writeHead(502).end();
    const answer = lie === 'honest' ? honest : this.#bend(lie, path, body === '' ? {} : (JSON.parse(body) as Json), honest);
    if (answer !== honest || lie === 'truncate-json') this.lies += 1;
    const text = JSON.stringify(answer);
    res.writeHead(200, { 'content-type': 'application/json' }).end(lie === 'truncate-json' ? text.slice(0, Math.max(1, text.length >> 1)) : text);
  }

  async #forward(path: string, body: string): Promise<unknown> {
    const response = await fetch(this.#upstream + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: AbortSignal.timeout(20_000) });
    return response.json();
  }

  #bend(lie: Lie, path: string, body: Json, answer: unknown): unknown {
    const isHead = path === '/wallet/getblock' && body['id_or_num'] === undefined;
    switch (lie) {
      case 'lag': return isHead ? this.#frozen : answer;
      case 'other-chain':
        // Its genesis block is another, and so are all that follow.
        if (!isBlock(answer)) return answer;
        return { ...answer, blockID: path === '/wallet/getblockbynum' ? `${answer.blockID.slice(0, -8)}2b6653dc` : flip(answer.blockID) };
      case 'change-id': return isBlock(answer) ? { ...answer, blockID: flip(answer['blockID']) } : answer;
      case 'omit-transaction': return isBlock(answer) && hasItems(answer['transactions']) ? { ...answer, transactions: answer['transactions'].slice(1) } : answer;
      case 'change-result': return isBlock(answer) && hasItems(answer['transactions']) ? { ...answer, transactions: answer['transactions'].map((tx) => ({ ...tx, ret: [{ contractRet: 'REVERT' }] })) } : answer;
      case 'omit-record': return path.endsWith('infobyblocknum') && hasItems(answer) ? answer.slice(1) : answer;
      case 'empty-records': return path.endsWith('infobyblocknum') && hasItems(answer) ? [] : answer;
      case 'omit-log': return path.endsWith('infobyblocknum') && hasItems(answer) && answer.some(({ log }) => log !== undefined) ? answer.map(({ log: _, ...info }) => info) : answer;
      case 'error-as-answer': return path.startsWith('/wallet') ? { Error: 'class java.lang.NullPointerException : null' } : answer;
      default: return answer;
    }
  }
}

const isBlock = (answer: unknown): answer is Json & { blockID: string } => typeof answer === 'object' && answer !== null && 'blockID' in answer;
const hasItems = (answer: unknown): answer is Json[] => Array.isArray(answer) && answer.length > 0;
/** Another id of the same form. */
const flip = (id: string): string => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
