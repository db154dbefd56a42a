import { IncompleteBlockError, type BlockRef, type InclusionProof } from '@chainwatch/chain-core';
import { toHashText } from './hash.ts';
import { computeMerkleBranch } from './merkle-root.ts';
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

const branchOf = (leaves: readonly Buffer[], index: number): string[] =>
  computeMerkleBranch(leaves, index).map((hash) => hash.toString('hex'));
