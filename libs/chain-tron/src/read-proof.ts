import {
  BlockNotFoundError,
  IncompleteBlockError,
  type BlockRef,
  type InclusionProof,
} from '@chainwatch/chain-core';
import { encodeTransaction } from './encode-transaction.ts';
import { computeMerkleBranch, computeMerkleRoot } from './merkle-root.ts';
import { parseHex } from './parse-hex.ts';
import { findWalletBlock, type WalletSession } from './read-wallet-headers.ts';
import { sha256 } from './sha256.ts';
import { encodeWalletHeader, verifyHeader } from './verify-header.ts';

/**
 * Header with its producer's signature, and the branch of a transaction, by the wallet API.
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError
 */
export async function readProof(
  session: WalletSession,
  { ref, hash, signal }: { readonly ref: BlockRef; readonly hash: string; readonly signal?: AbortSignal },
): Promise<InclusionProof> {
  const block = await findWalletBlock(session, ref.hash, signal);
  if (block === undefined)
    throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`);
  const { header, unknowns } = verifyHeader(block);
  if (header.hash !== ref.hash)
    throw new IncompleteBlockError(`block ${ref.number}: expected ${ref.hash}, got ${header.hash}`);
  const { raw_data: raw, witness_signature: signature } = block.block_header;
  const transactions = (block.transactions ?? []).map((tx) => ({
    id: tx.txID,
    bytes: encodeTransaction(parseHex('raw_data_hex', tx.raw_data_hex), tx),
  }));
  const index = transactions.findIndex(({ id }) => id === hash);
  if (index < 0)
    throw new IncompleteBlockError(`block ${ref.hash}: expected the transaction ${hash}, got none`);
  const leaves = transactions.map(({ bytes }) => sha256(bytes));
  if (unknowns.length > 0 || computeMerkleRoot(leaves).toString('hex') !== raw.txTrieRoot)
    return {
      type: 'none',
      reason: 'The block has members whose encoding is not known: its tree cannot be computed.',
    };
  return {
    type: 'signed_merkle',
    header: encodeWalletHeader(raw).toString('hex'),
    ...(signature !== undefined && { signature }),
    branch: {
      transaction: computeMerkleBranch(leaves, index).map((hash) => hash?.toString('hex') ?? null),
    },
    item: { index, transaction: transactions[index]!.bytes.toString('hex') },
  };
}
