import { IncompleteBlockError, type BlockRef, type InclusionProof } from '@chainwatch/chain-core';
import { hash256, toHashText } from './hash.ts';
import { UnknownEncodingError } from './read-transaction.ts';
import { readRawBlock } from './read-block.ts';
import type { Session } from './session.ts';
import { verifyBlock } from './verify-block.ts';

const HEADER_BYTES = 80;

/** Header, and the branches of a transaction and the coinbase. @throws BlockNotFoundError, IncompleteBlockError, ChainClientError */
export async function readProof(
  session: Session,
  { ref, hash, signal }: { readonly ref: BlockRef; readonly hash: string; readonly signal?: AbortSignal },
): Promise<InclusionProof> {
  const bytes = await readRawBlock(session, ref, signal);
  try {
    const { transactions } = verifyBlock(ref, bytes, session.traits);
    const leaves = transactions.map(({ txidBytes }) => txidBytes);
    const index = leaves.findIndex((leaf) => toHashText(leaf) === hash);
    if (index < 0)
      throw new IncompleteBlockError(`block ${ref.hash}: expected the transaction ${hash}, got none`);
    return {
      type: 'merkle',
      header: bytes.subarray(0, HEADER_BYTES).toString('hex'),
      branch: { transaction: branchOf(leaves, index), coinbase: branchOf(leaves, 0) },
      item: {
        index,
        transaction: transactions[index]!.stripped.toString('hex'),
        coinbase: transactions[0]!.stripped.toString('hex'),
      },
    };
  } catch (error) {
    if (!(error instanceof UnknownEncodingError)) throw error;
    return {
      type: 'none',
      reason: 'The block has transactions whose encoding is not known: their tree cannot be computed.',
    };
  }
}

/** Siblings from a leaf up. An odd hash at the end of a level is paired with itself. */
function branchOf(leaves: readonly Buffer[], index: number): string[] {
  const branch: string[] = [];
  let level = leaves;
  for (let at = index; level.length > 1; at >>= 1) {
    branch.push((level[at ^ 1] ?? level[at]!).toString('hex'));
    const below = level;
    level = Array.from({ length: Math.ceil(below.length / 2) }, (_, pair) =>
      hash256(Buffer.concat([below[2 * pair]!, below[2 * pair + 1] ?? below[2 * pair]!])),
    );
  }
  return branch;
}
