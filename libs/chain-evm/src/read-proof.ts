import { createMerkleProof, createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import {
  IncompleteBlockError,
  type BlockRef,
  type InclusionProof,
  type NoProof,
} from '@chainwatch/chain-core';
import { keccak256Hex } from './encode-rlp.ts';
import { encodeTransaction } from './encode-transaction.ts';
import { encodeHeader } from './parse-header.ts';
import { toReadError } from './read-block.ts';
import { readVerified } from './read-verified.ts';
import type { Session } from './session.ts';
import type { VerifiedBlock } from './verify-block.ts';
import { encodeReceipts } from './verify-receipts.ts';

interface ProofQuery {
  readonly ref: BlockRef;
  readonly hash: string;
  readonly signal?: AbortSignal;
}

/** Header, and the branches of a transaction and its receipt. @throws BlockNotFoundError, IncompleteBlockError, ChainClientError */
export async function readProof(
  session: Session,
  { ref, hash, signal }: ProofQuery,
): Promise<InclusionProof> {
  try {
    const { verified } = await readVerified(session, { ref, signal, hasTraces: false });
    return await prove(session, verified, hash);
  } catch (error) {
    throw toReadError(ref, error);
  }
}

async function prove(
  { traits: { stack } }: Session,
  { block, transactions, receipts, encodings, stateSync, system = [] }: VerifiedBlock,
  hash: string,
): Promise<InclusionProof> {
  const index = transactions.findIndex((tx) => tx.hash === hash);
  if (index < 0) {
    const isUncovered = stateSync?.transactionHash === hash || system.some(({ tx }) => tx.hash === hash);
    if (isUncovered) return none('The chain made this transaction itself: no root of its block covers it.');
    throw new IncompleteBlockError(`block ${block.hash}: expected the transaction ${hash}, got none`);
  }
  const header = encodeHeader(block);
  if (`0x${keccak256Hex(header)}` !== block.hash)
    return none('The header has members whose encoding is not known: its hash cannot be computed.');
  const values = transactions.map((tx) => encodings?.get(tx.hash) ?? encodeTransaction(tx, stack));
  const transaction = await branchOf(values, index, block.transactionsRoot);
  if (transaction === undefined)
    return none('The block has transactions whose encoding is not known: their root cannot be computed.');
  const results = encodeReceipts({ transactions, receipts }, stack);
  const receipt = await branchOf(results, index, block.receiptsRoot);
  if (receipt === undefined)
    return none(
      'The root in the header is not that of the receipts: a later header covers them, or their encoding is not known.',
    );
  return {
    type: 'mpt',
    header: toHex(header),
    branch: { transaction, receipt },
    item: { index, transaction: toHex(values[index]!), receipt: toHex(results[index]!) },
  };
}

/** Nodes from the root to a value; undefined where the values are not those of the root. */
async function branchOf(
  values: readonly (Uint8Array | undefined)[],
  index: number,
  root: string,
): Promise<string[] | undefined> {
  const trie = await createMPT();
  for (const [key, value] of values.entries()) {
    if (value === undefined) return undefined;
    await trie.put(RLP.encode(key), value);
  }
  if (toHex(trie.root()) !== root) return undefined;
  return (await createMerkleProof(trie, RLP.encode(index))).map(toHex);
}

const toHex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
const none = (reason: string): NoProof => ({ type: 'none', reason });
