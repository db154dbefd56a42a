import { createHash } from 'node:crypto';
import { record } from './record.ts';

/** Blocks of a chain with a token, half token and half native transfers, as anvil sent them. */
export interface Recording {
  readonly file: string;
  /** Number of the first block with transfers. */
  readonly first: number;
  readonly blocks: number;
  readonly transactions: number;
}

export const watchedAddresses: readonly string[] = Array.from({ length: 100_000 }, (_, index) => addressOf(`watched ${index}`));
/** Those that get every hundredth transfer, in turn. */
export const hitAddresses = watchedAddresses.slice(0, 1_000);

const SHAPES = { 200: 400, 1_500: 60 } as const;

/** The recording of blocks of that many transactions, made when it is not there. */
export async function openRecording(directory: string, transactions: keyof typeof SHAPES): Promise<Recording> {
  const blocks = SHAPES[transactions];
  const file = `${directory}/${blocks}x${transactions}.ndjson`;
  const recipients = Array.from({ length: 100_000 }, (_, index) => recipientOf(index));
  await record({ file, blocks, transactionsPerBlock: transactions, recipients });
  return { file, first: 3, blocks, transactions };
}

/** Whom transfer `index` of a chain goes to. */
export function recipientOf(index: number): string {
  return index % 100 === 0 ? hitAddresses[(index / 100) % hitAddresses.length]! : addressOf(`foreign ${index}`);
}

function addressOf(name: string): string {
  return `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
}
