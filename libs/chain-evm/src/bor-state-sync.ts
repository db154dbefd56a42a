// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import { keccak256Hex } from './encode-rlp.ts';
import { parseRawReceipts } from './parse-raw-block.ts';
import type { RawBlock, RawHeader, RawReceipt } from './raw-block.ts';
import type { Session } from './session.ts';

/**
 * Blocks in a sprint of Polygon since Delhi (64 before, a multiple of it). State syncs, which no root covers,
 * come with its first block.
 */
const SPRINT_LENGTH = 16;
/**
 * 10 December 2025, the day after Madhugiri (block 80,084,800; Amoy had it before). From there on a state sync is a
 * transaction of its block, and nothing is to be asked for.
 */
const AFTER_MADHUGIRI = 1_765_324_800;

/**
 * The state-sync receipt among a block's. Until Madhugiri (PIP-74) Polygon applies bridge deposits at the end of a sprint
 * outside of the block's transactions; nodes show them as one transaction and receipt that neither root covers, under a
 * hash derived from the block.
 */
export function findStateSync(receipts: readonly RawReceipt[], block: RawHeader): RawReceipt | undefined {
  const hash = borTransactionHash(block);
  return receipts.find((receipt) => receipt.transactionHash === hash);
}

/** Keccak-256 of `matic-bor-receipt-`, the number as 8 bytes, and the block's hash (bor, GetDerivedBorTxHash). */
export function borTransactionHash(block: RawHeader): string {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(block.number));
  const hash = Buffer.from(block.hash.slice(2), 'hex');
  return `0x${keccak256Hex(Buffer.concat([Buffer.from('matic-bor-receipt-', 'latin1'), number, hash]))}`;
}

/** Not every node lists the state-sync receipt among the block's; it is then asked for by its derived hash. */
export async function addStateSync(
  session: Session,
  {
    block,
    receipts,
    signal,
  }: { readonly block: RawBlock; readonly receipts: readonly RawReceipt[]; readonly signal?: AbortSignal },
): Promise<readonly RawReceipt[]> {
  if (session.traits.stack !== 'bor' || Number(block.number) % SPRINT_LENGTH !== 0) return receipts;
  if (Number(block.timestamp) >= AFTER_MADHUGIRI) return receipts;
  if (findStateSync(receipts, block) !== undefined) return receipts;
  const result = await session.transport.call(
    'eth_getTransactionReceipt',
    [borTransactionHash(block)],
    signal,
  );
  if (result === null) return receipts;
  const [receipt] = parseRawReceipts([result]);
  if (receipt?.blockHash !== block.hash)
    throw new ChainClientError(`state-sync receipt: expected block ${block.hash}, got another`);
  return [...receipts, receipt];
}
