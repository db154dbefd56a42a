// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef, UnknownPart } from '@chainwatch/chain-core';
import { computeOrderedRoot } from '../compute-ordered-root.ts';
import { joinBlooms } from '../logs-bloom.ts';
import type { Session } from '../session.ts';
import { findSettlingHeader } from './find-settling-header.ts';
import type { Settling } from './find-settling-header.ts';
import type { KeptBlock } from './kept-block.ts';
import { loadBlock, readRange } from './read-range.ts';
import type { SettlementHeader } from './settlement-header.ts';

/** Blocks that are settled with one header; a range with more is left without evidence. */
const RANGE_MAX = 256;

export type Evidence =
  | { readonly type: 'none' }
  | { readonly type: 'proved'; readonly by: BlockRef }
  | { readonly type: 'unknown'; readonly parts: readonly UnknownPart[] };

/** What stands behind a block, and the block of which it is true: it may have been read again. */
export interface Judged {
  readonly block: KeptBlock;
  readonly evidence: Evidence;
}

/**
 * Looks for the header that settles a block, and computes its `receiptsRoot` and `logsBloom` over the receipts of all blocks
 * that it settles. Where they do not match, these blocks and the headers are read once more.
 * @throws IncompleteBlockError where they do not match again and all receipts are of a known form
 */
export async function findEvidence(
  session: Session,
  block: KeptBlock,
  signal?: AbortSignal,
): Promise<Judged> {
  const by = session.settlement.findProof(block);
  if (by !== undefined) return { block, evidence: { type: 'proved', by } };
  const first = await judge(session, block, signal);
  if (first.mismatch === undefined) return first;
  forget(session, first.mismatch);
  const again = await loadBlock(session, { ref: block.ref, hasTraces: false, signal });
  const second = await judge(session, again, signal);
  if (second.mismatch === undefined) return second;
  forget(session, second.mismatch);
  return { block: again, evidence: explain(second.mismatch) };
}

interface Mismatch {
  readonly block: KeptBlock;
  readonly blocks: readonly KeptBlock[];
  readonly header: SettlementHeader;
  readonly root: string;
  readonly bloom: string;
}

async function judge(
  session: Session,
  block: KeptBlock,
  signal?: AbortSignal,
): Promise<Judged & { readonly mismatch?: Mismatch }> {
  const settling = await findSettlingHeader(session, block.header, signal);
  if (settling.type !== 'header') return { block, evidence: settling };
  if (sizeOf(settling) > RANGE_MAX) return { block, evidence: { type: 'none' } };
  const { header } = settling;
  const blocks = await readRange(session, { block, settling, signal });
  const root = computeOrderedRoot(blocks.flatMap(({ encodings }) => encodings));
  const bloom = joinBlooms(blocks.map((settled) => settled.bloom));
  if (root !== header.receiptsRoot || bloom !== header.logsBloom)
    return { block, evidence: { type: 'none' }, mismatch: { block, blocks, header, root, bloom } };
  const by = { number: header.number, hash: header.hash };
  session.settlement.setProved(blocks, by);
  return { block, evidence: { type: 'proved', by } };
}

function sizeOf({ from, header }: Extract<Settling, { type: 'header' }>): number {
  return header.settledHeight - from + 1;
}

function forget({ settlement }: Session, { block, blocks }: Mismatch): void {
  settlement.forget(blocks.map(({ ref }) => ref));
  settlement.forgetHeaders(block.ref.number + 1);
}

/** What is not known, if that can be the reason. @throws IncompleteBlockError */
function explain({ block, blocks, header, root, bloom }: Mismatch): Evidence {
  const parts = blocks.flatMap(({ ref, strangeReceipts }) =>
    // A part of another block names no transaction of this one.
    ref.hash === block.ref.hash
      ? strangeReceipts
      : strangeReceipts.map(({ transactionHash: _, ...part }) => part),
  );
  const of = `block ${header.number} ${header.hash}, which settles block ${block.ref.number} ${block.ref.hash}`;
  if (root !== header.receiptsRoot && parts.length === 0)
    throw new IncompleteBlockError(
      `receiptsRoot of ${of}: expected ${header.receiptsRoot}, got ${root} from the receipts of ${blocks.length} blocks`,
    );
  if (bloom !== header.logsBloom)
    throw new IncompleteBlockError(`logsBloom of ${of}: expected ${header.logsBloom}, got ${bloom}`);
  return { type: 'unknown', parts };
}
