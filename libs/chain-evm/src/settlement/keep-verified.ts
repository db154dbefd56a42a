// SPDX-License-Identifier: Apache-2.0
import { computeLogsBloom } from '../logs-bloom.ts';
import type { ReadBlock } from '../read-verified.ts';
import type { EvmTraits } from '../networks.ts';
import { UnknownParts } from '../unknown-parts.ts';
import { addReceiptParts } from '../verify-receipts.ts';
import type { VerifiedBlock } from '../verify-block.ts';
import type { KeptBlock } from './kept-block.ts';
import { toSettlementHeader } from './settlement-header.ts';

const TRANSACTION_BYTES = 3_000;
const LOG_BYTES = 1_000;

/** A verified block whose receipts a later header proves. */
export function keepVerified(read: ReadBlock, traits: EvmTraits): KeptBlock<ReadBlock> {
  const { block, transactions, receipts, settling = [], unknown } = read.verified;
  const strange = new UnknownParts();
  addReceiptParts(
    { transactions, receipts, unknown: unknown?.transactions ?? new Set() },
    { expected: 'receipts with the root of the header that settles them', stack: traits.stack },
    strange,
  );
  return {
    ref: { number: Number(block.number), hash: block.hash },
    header: toSettlementHeader(block, traits),
    encodings: settling,
    bloom: computeLogsBloom(receipts),
    strangeReceipts: strange.list,
    unknown,
    byteLength: estimateBytes(read.verified),
    read,
  };
}

/** Objects that were parsed take several times what they were parsed from. */
function estimateBytes({ transactions, receipts, settling = [] }: VerifiedBlock): number {
  let bytes = TRANSACTION_BYTES * (1 + transactions.length);
  for (const { input } of transactions) bytes += input?.length ?? 0;
  for (const { logs } of receipts) bytes += LOG_BYTES * logs.length;
  for (const encoding of settling) bytes += 3 * encoding.length;
  return bytes;
}
