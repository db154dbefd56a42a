// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { EvmChain } from './make-evm-chain.ts';

/** Generated blocks of a chain with a token, half token and half native transfers. */
export interface Recording {
  readonly file: string;
  /** Number of the first block with transfers. */
  readonly first: number;
  readonly blocks: number;
}

const FIRST = 3;

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
  const file = `${directory}/${blocks}x${transactions}-made.ndjson`;
  let turn = 0;
  const recipients = (): string[] => Array.from({ length: transactions }, () => recipientOf(turn++));
  await record(file, { blocks, recipients });
  return { file, first: FIRST, blocks };
}

/** Blocks with the chain id of Base and a fifth of a second between them, for ten minutes; made when it is not there. */
export async function openBaseRecording(directory: string): Promise<Recording> {
  const [blocks, transactions] = [3_000, 200];
  const file = `${directory}/base-made-${blocks}x${transactions}.ndjson`;
  let turn = 0;
  const recipients = (): string[] => Array.from({ length: transactions }, () => recipientOf(turn++));
  await record(file, { blocks, recipients, chainId: 8_453, blockTimeMs: 200 });
  return { file, first: FIRST, blocks };
}

/** An address that gets every transfer of a recording. */
export const BUSY_ADDRESS = addressOf('busy');
/** Blocks without transfers behind the others, for the head. */
export const QUIET_BLOCKS = 12;

/** 100,000 transfers of a token to one address, made when it is not there. */
export async function openBusyRecording(directory: string): Promise<Recording> {
  const [blocks, transactions] = [500, 200];
  const file = `${directory}/busy-made-${blocks}x${transactions}.ndjson`;
  const recipients = (block: number): string[] =>
    Array.from({ length: block < blocks ? transactions : 0 }, () => BUSY_ADDRESS);
  await record(file, { blocks: blocks + QUIET_BLOCKS, recipients, isToken: () => true });
  return { file, first: FIRST, blocks };
}

interface Content {
  readonly blocks: number;
  /** Of the transfers of each block, from 0. */
  readonly recipients: (block: number) => readonly string[];
  readonly isToken?: (index: number) => boolean;
  readonly chainId?: number;
  /** Absent: a second, and with traces. */
  readonly blockTimeMs?: number;
}

/** Writes blocks, receipts and traces for replay-server.mjs; kept between runs. The blocks before `FIRST` are empty. */
async function record(
  file: string,
  { blocks, recipients, isToken = (index) => index % 2 === 0, chainId = 31_337, blockTimeMs }: Content,
): Promise<void> {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  const chain = new EvmChain({
    chainId,
    startedAt: Math.floor(Date.now() / 1_000),
    blockTimeMs: blockTimeMs ?? 1_000,
    hasTraces: blockTimeMs === undefined,
  });
  const output = createWriteStream(`${file}.part`);
  for (let at = 0; at < FIRST + blocks; at += 1) {
    const { number, hash, header, full, receipts, traces } = chain.next(
      at < FIRST ? [] : recipients(at - FIRST),
      isToken,
    );
    const line = `${[[number, hash], header, full, receipts, traces].map((part) => JSON.stringify(part)).join('\t')}\n`;
    if (!output.write(line)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
  renameSync(`${file}.part`, file);
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
