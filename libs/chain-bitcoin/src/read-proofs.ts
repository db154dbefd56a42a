// SPDX-License-Identifier: Apache-2.0
import type { InclusionProof, MerkleProof, ProofsQuery } from '@chainwatch/chain-core';
import { toHashText } from './hash.ts';
import { computeMerkleLevels, listSiblings } from './merkle-root.ts';
import { UnknownEncodingError } from './read-transaction.ts';
import { readRawBlock } from './read-block.ts';
import type { Session } from './session.ts';
import { verifyBlock } from './verify-block.ts';

const HEADER_BYTES = 80;

/** Header, and the branches of transactions and the coinbase. @throws BlockNotFoundError, IncompleteBlockError, ChainClientError */
export async function readProofs(
  session: Session,
  { ref, hashes, signal }: ProofsQuery,
): Promise<Map<string, InclusionProof>> {
  const bytes = await readRawBlock(session, ref, signal);
  try {
    const { transactions } = verifyBlock(ref, bytes, session.traits);
    const places = new Map(transactions.map(({ txidBytes }, index) => [toHashText(txidBytes), index]));
    const levels = computeMerkleLevels(transactions.map(({ txidBytes }) => txidBytes));
    const branchOf = (index: number): string[] =>
      listSiblings(levels, index).map((hash) => hash.toString('hex'));
    const show = (index: number): MerkleProof => ({
      type: 'merkle',
      header: bytes.subarray(0, HEADER_BYTES).toString('hex'),
      branch: { transaction: branchOf(index), coinbase: branchOf(0) },
      item: {
        index,
        transaction: transactions[index]!.stripped.toString('hex'),
        coinbase: transactions[0]!.stripped.toString('hex'),
      },
    });
    return new Map(
      hashes.flatMap((hash) => {
        const index = places.get(hash);
        return index === undefined ? [] : [[hash, show(index)]];
      }),
    );
  } catch (error) {
    if (!(error instanceof UnknownEncodingError)) throw error;
    // What cannot be read is not compared with the root either: another node may give other bytes.
    const proof: InclusionProof = {
      type: 'none',
      reason: 'The block has transactions whose encoding is not known: their tree cannot be computed.',
      othersMayShow: true,
    };
    return new Map(hashes.map((hash) => [hash, proof]));
  }
}
