// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Payment {
  readonly nonce: number;
  readonly from: string;
  readonly to: string;
  readonly amount: string;
}
interface ToyBlock {
  readonly number: number;
  readonly parentHash: string;
  readonly timestamp: number;
  readonly transactions: readonly Payment[];
}

const BANK = `toy1${'ba'.repeat(8)}`;

/** A node of the toy chain: what is paid stands in the next block, and everything is paid by the bank, which owes. */
export class ToyNode {
  readonly #blocks: ToyBlock[] = [];
  #payments: Payment[] = [];
  #nonce = 0;
  readonly #server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => res.end(JSON.stringify(this.#reply(Buffer.concat(chunks).toString()))));
  });

  constructor() {
    for (let count = 0; count < 3; count += 1) this.mine();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Hash of the transaction. */
  pay(to: string, amount: number): string {
    const payment = { nonce: (this.#nonce += 1), from: BANK, to, amount: `${amount}` };
    this.#payments.push(payment);
    return hashOf(payment);
  }

  mine(): void {
    const parent = this.#blocks.at(-1);
    this.#blocks.push({
      number: this.#blocks.length,
      parentHash: parent === undefined ? '0'.repeat(64) : hashOf(parent),
      timestamp: 1_700_000_000 + this.#blocks.length,
      transactions: this.#payments,
    });
    this.#payments = [];
  }

  #reply(body: string): object {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] };
    return { jsonrpc: '2.0', id, result: this.#answer(method, params) };
  }

  #answer(method: string, [first, second]: readonly unknown[]): unknown {
    if (method === 'toy_chain') return 'town';
    if (method === 'toy_head') return this.#blocks.length - 1;
    if (method === 'toy_block') return this.#find(first) ?? null;
    const at = this.#find(second);
    if (at === undefined) return null;
    const payments = this.#blocks.slice(0, at.number + 1).flatMap(({ transactions }) => transactions);
    return `${payments.filter(({ to }) => to === first).reduce((sum, { amount }) => sum + BigInt(amount), 0n)}`;
  }

  #find(id: unknown): ToyBlock | undefined {
    return this.#blocks.find((block) => block.number === id || hashOf(block) === id);
  }
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
