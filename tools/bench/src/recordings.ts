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
  let turn = 0;
  const recipients = (): string[] => Array.from({ length: transactions }, () => recipientOf(turn++));
  await record(file, { blocks, recipients });
  return { file, first: 3, blocks };
}

/** Blocks with the chain id of Base and a fifth of a second between them, for ten minutes; made when it is not there. */
export async function openBaseRecording(directory: string): Promise<Recording> {
  const [blocks, transactions] = [3_000, 200];
  const file = `${directory}/base-${blocks}x${transactions}.ndjson`;
  let turn = 0;
  const recipients = (): string[] => Array.from({ length: transactions }, () => recipientOf(turn++));
  await record(file, { blocks, recipients, chainId: 8_453, blockTimeMs: 200 });
  return { file, first: 3, blocks };
}

/** An address that gets every transfer of a recording. */
export const BUSY_ADDRESS = addressOf('busy');
/** Blocks without transfers behind the others, for the head. */
export const QUIET_BLOCKS = 12;

/** 100,000 transfers of a token to one address, made when it is not there. */
export async function openBusyRecording(directory: string): Promise<Recording> {
  const [blocks, transactions] = [500, 200];
  const file = `${directory}/busy-${blocks}x${transactions}.ndjson`;
  const recipients = (block: number): string[] =>
    Array.from({ length: block < blocks ? transactions : 0 }, () => BUSY_ADDRESS);
  await record(file, { blocks: blocks + QUIET_BLOCKS, recipients, isToken: () => true });
  return { file, first: 3, blocks };
}

interface Content {
  readonly blocks: number;
  /** Of the transfers of each block, from 0. */
  readonly recipients: (block: number) => readonly string[];
  readonly isToken?: (index: number) => boolean;
  readonly chainId?: number;
  /** Absent: as fast as they are made, with traces. */
  readonly blockTimeMs?: number;
}

/** Records blocks, receipts and traces of an anvil chain as it sent them; kept between runs. */
async function record(
  file: string,
  { blocks, recipients, isToken, chainId, blockTimeMs }: Content,
): Promise<void> {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  const chain = await TransferChain.open({ chainId });
  const { anvil } = chain;
  const startedAt = Math.floor(Date.now() / 1_000) + 10;
  const first = await anvil.blockNumber();
  const output = createWriteStream(`${file}.part`);
  for (let number = 0; number <= first + blocks; number += 1) {
    const wanted = number > first ? recipients(number - first - 1) : [];
    if (number > first) {
      await chain.send(wanted, isToken);
      if (blockTimeMs !== undefined)
        await anvil.rpc('evm_setNextBlockTimestamp', [
          startedAt + Math.floor(((number - first) * blockTimeMs) / 1_000),
        ]);
      await anvil.mine();
    }
    const tag = `0x${number.toString(16)}`;
    const [header, full, receipts, traces] = await Promise.all([
      anvil.rpc<{ hash: Hex }>('eth_getBlockByNumber', [tag, false]),
      anvil.rpc<{ transactions: unknown[] }>('eth_getBlockByNumber', [tag, true]),
      anvil.rpc<unknown[]>('eth_getBlockReceipts', [tag]),
      blockTimeMs === undefined ? anvil.rpc<unknown[]>('trace_block', [tag]) : [],
    ]);
    if (number > first && full.transactions.length !== wanted.length)
      throw new Error(
        `expected ${wanted.length} transactions in block ${number}, got ${full.transactions.length}`,
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
