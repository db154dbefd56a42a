import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Hex } from 'viem';
import { TransferChain } from './transfer-chain.ts';

/** Blocks of a chain with a token, half token and half native transfers, as anvil sent them. */
export interface Recording {
  readonly file: string;
  /** Number of the first block with transfers. */
  readonly first: number;
  readonly blocks: number;
}

export const watchedAddresses: readonly string[] = Array.from({ length: 100_000 }, (_, index) =>
  addressOf(`watched ${index}`),
);
/** Those that get every hundredth transfer, in turn. */
export const hitAddresses = watchedAddresses.slice(0, 1_000);

/** Transactions a block → blocks: some seconds of work, so that what the services take to begin with is a small part of it. */
const SHAPES = { 200: 1_200, 1_500: 120 } as const;

/** The recording of blocks of that many transactions, made when it is not there. */
export async function openRecording(
  directory: string,
  transactions: keyof typeof SHAPES,
): Promise<Recording> {
  const blocks = SHAPES[transactions];
  const file = `${directory}/${blocks}x${transactions}-traced.ndjson`;
  await record(file, blocks, transactions);
  return { file, first: 3, blocks };
}

/** Records blocks, receipts and traces of an anvil chain as it sent them, half token and half native transfers; kept between runs. */
async function record(file: string, blocks: number, transactions: number): Promise<void> {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  const chain = await TransferChain.open();
  const { anvil } = chain;
  const first = await anvil.blockNumber();
  const output = createWriteStream(`${file}.part`);
  let turn = 0;
  for (let number = 0; number <= first + blocks; number += 1) {
    if (number > first) {
      await chain.send(Array.from({ length: transactions }, () => recipientOf(turn++)));
      await anvil.mine();
    }
    const tag = `0x${number.toString(16)}`;
    const [header, full, receipts, traces] = await Promise.all([
      anvil.rpc<{ hash: Hex }>('eth_getBlockByNumber', [tag, false]),
      anvil.rpc<{ transactions: unknown[] }>('eth_getBlockByNumber', [tag, true]),
      anvil.rpc<unknown[]>('eth_getBlockReceipts', [tag]),
      anvil.rpc<unknown[]>('trace_block', [tag]),
    ]);
    if (number > first && full.transactions.length !== transactions)
      throw new Error(
        `expected ${transactions} transactions in block ${number}, got ${full.transactions.length}`,
      );
    const line = `${[[number, header.hash], header, full, receipts, traces].map((part) => JSON.stringify(part)).join('\t')}\n`;
    if (!output.write(line)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
  renameSync(`${file}.part`, file);
  await anvil.stop();
}

/** Whom transfer `index` of a chain goes to. */
export function recipientOf(index: number): string {
  return index % 100 === 0
    ? hitAddresses[(index / 100) % hitAddresses.length]!
    : addressOf(`foreign ${index}`);
}

function addressOf(name: string): string {
  return `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
}
