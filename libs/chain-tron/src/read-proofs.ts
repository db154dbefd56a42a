// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  IncompleteBlockError,
  type BlockRef,
  type InclusionProof,
  type ProofsQuery,
} from '@chainwatch/chain-core';
import { encodeTransaction } from './encode-transaction.ts';
import { computeMerkleLevels, computeMerkleRoot, listSiblings } from './merkle-root.ts';
import { parseHex } from './parse-hex.ts';
import { findWalletBlock, type WalletSession } from './read-wallet-headers.ts';
import { sha256 } from './sha256.ts';
import { encodeWalletHeader, verifyHeader } from './verify-header.ts';
import type { WalletBlock } from './wallet-block.ts';

/**
 * Header with its producer's signature, and the branches of transactions, by the wallet API.
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError
 */
export async function readProofs(
  session: WalletSession,
  { ref, hashes, signal }: ProofsQuery,
): Promise<Map<string, InclusionProof>> {
  const block = await findWalletBlock(session, ref.hash, signal);
  if (block === undefined)
    throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`);
  const show = openBlock(ref, block);
  const places = new Map((block.transactions ?? []).map(({ txID }, index) => [txID, index]));
  return new Map(
    hashes.flatMap((hash) => {
      const index = places.get(hash);
      return index === undefined ? [] : [[hash, show(index)]];
    }),
  );
}

/** What shows each of the block's transactions. */
function openBlock(ref: BlockRef, block: WalletBlock): (index: number) => InclusionProof {
  const { header, unknowns } = verifyHeader(block);
  if (header.hash !== ref.hash)
    throw new IncompleteBlockError(`block ${ref.number}: expected ${ref.hash}, got ${header.hash}`);
  const { raw_data: raw, witness_signature: signature } = block.block_header;
  const transactions = (block.transactions ?? []).map((tx) =>
    encodeTransaction(parseHex('raw_data_hex', tx.raw_data_hex), tx),
  );
  const leaves = transactions.map((bytes) => sha256(bytes));
  if (unknowns.length > 0 || computeMerkleRoot(leaves).toString('hex') !== raw.txTrieRoot)
    return () => ({
      type: 'none',
      reason: 'The block has members whose encoding is not known: its tree cannot be computed.',
      // The members are those of the node's release.
      othersMayShow: true,
    });
  const levels = computeMerkleLevels(leaves);
  const encoded = encodeWalletHeader(raw).toString('hex');
  return (index) => ({
    type: 'signed_merkle',
    header: encoded,
    ...(signature !== undefined && { signature }),
    branch: { transaction: listSiblings(levels, index).map((hash) => hash?.toString('hex') ?? null) },
    item: { index, transaction: transactions[index]!.toString('hex') },
  });
}
