// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from './block.ts';

/** Transactions of a block, by their hashes, whose inclusion is to be shown. */
export interface ProofsQuery {
  readonly ref: BlockRef;
  readonly hashes: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * What shows that a transaction is in a block to whoever has the block's hash from elsewhere, without asking anybody. Bytes
 * are hexadecimal; those of EVM chains begin with `0x`.
 */
export type InclusionProof = MptProof | MerkleProof | SignedMerkleProof | NoProof;

/** Two Merkle-Patricia tries (EVM): the header has the roots of both, and the block's hash is Keccak-256 of the header. */
export interface MptProof {
  readonly type: 'mpt';
  /** RLP of the header. */
  readonly header: string;
  /** Nodes of each trie from its root to the value. */
  readonly branch: { readonly transaction: readonly string[]; readonly receipt: readonly string[] };
  /** Values of the tries (EIP-2718); `index` is the key of both. */
  readonly item: { readonly index: number; readonly transaction: string; readonly receipt: string };
}

/**
 * A binary tree (Bitcoin): the block's hash is double SHA-256 of the header's 80 bytes. The coinbase has its branch too: it
 * shows how deep the tree is, so that no inner node can pass for a transaction of 64 bytes.
 */
export interface MerkleProof {
  readonly type: 'merkle';
  readonly header: string;
  /** Siblings from the leaf up, in the order of their bytes. */
  readonly branch: { readonly transaction: readonly string[]; readonly coinbase: readonly string[] };
  /** Without the witness, so that double SHA-256 of the bytes is the transaction's id. */
  readonly item: { readonly index: number; readonly transaction: string; readonly coinbase: string };
}

/** A binary tree and a producer's signature (TRON): the block's id is SHA-256 of the header with its number in front. */
export interface SignedMerkleProof {
  readonly type: 'signed_merkle';
  /** `BlockHeader.raw`. */
  readonly header: string;
  /** Of the producer, over SHA-256 of the header; absent where the node does not tell it. */
  readonly signature?: string;
  /** Siblings from the leaf up; null where the tree has none on a level. */
  readonly branch: { readonly transaction: readonly (string | null)[] };
  /** `Transaction` with its signatures and result; SHA-256 of its `raw_data` is the transaction's id. */
  readonly item: { readonly index: number; readonly transaction: string };
}

/** Nothing that a block's hash covers shows the transaction. */
export interface NoProof {
  readonly type: 'none';
  /** A sentence. */
  readonly reason: string;
  /** It is so by what this node tells: another one may show the transaction. */
  readonly othersMayShow?: boolean;
  /** Signatures of the transaction, where they show who made it. */
  readonly signatures?: readonly string[];
}
