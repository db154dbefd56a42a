// SPDX-License-Identifier: Apache-2.0
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMerkleProof, createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import type { InclusionProof, NoProof, ProofsQuery } from '@chainwatch/chain-core';
import { keccak256Hex } from './encode-rlp.ts';
import { encodeTransaction } from './encode-transaction.ts';
import { encodeHeader } from './parse-header.ts';
import { toReadError } from './read-block.ts';
import { readVerified } from './read-verified.ts';
import type { Session } from './session.ts';
import type { VerifiedBlock } from './verify-block.ts';
import { encodeReceipts } from './verify-receipts.ts';

/** Header, and the branches of transactions and their receipts. @throws BlockNotFoundError, IncompleteBlockError, ChainClientError */
export async function readProofs(
  session: Session,
  { ref, hashes, signal }: ProofsQuery,
): Promise<Map<string, InclusionProof>> {
  try {
    const { verified } = await readVerified(session, { ref, signal, hasTraces: false });
    return await prove(session, verified, hashes);
  } catch (error) {
    throw toReadError(ref, error);
  }
}

async function prove(
  session: Session,
  verified: VerifiedBlock,
  hashes: readonly string[],
): Promise<Map<string, InclusionProof>> {
  const { transactions, stateSync, system = [] } = verified;
  const places = new Map(transactions.map(({ hash }, index) => [hash, index]));
  const uncovered = new Set([stateSync?.transactionHash, ...system.map(({ tx }) => tx.hash)]);
  const proofs = new Map<string, InclusionProof>();
  let show: Show | undefined;
  for (const hash of hashes) {
    const index = places.get(hash);
    if (index !== undefined) {
      show ??= await openBlock(session, verified);
      proofs.set(hash, await show(index));
      // A block may have thousands: other work of the process goes on meanwhile.
      await nextTurn();
    } else if (uncovered.has(hash))
      proofs.set(hash, {
        type: 'none',
        reason: 'The chain made this transaction itself: no root of its block covers it.',
      });
  }
  return proofs;
}

type Show = (index: number) => Promise<InclusionProof>;

/** What shows each of the block's transactions. */
async function openBlock(
  { traits: { stack } }: Session,
  { block, transactions, receipts, encodings }: VerifiedBlock,
): Promise<Show> {
  const header = encodeHeader(block);
  if (`0x${keccak256Hex(header)}` !== block.hash)
    return none('The header has members whose encoding is not known: its hash cannot be computed.');
  const values = transactions.map((tx) => encodings?.get(tx.hash) ?? encodeTransaction(tx, stack));
  const ofTransactions = await buildTrie(values, block.transactionsRoot);
  if (ofTransactions === undefined)
    return none('The block has transactions whose encoding is not known: their root cannot be computed.');
  const results = encodeReceipts({ transactions, receipts }, stack);
  const ofReceipts = await buildTrie(results, block.receiptsRoot);
  if (ofReceipts === undefined)
    return none(
      'The root in the header is not that of the receipts: a later header covers them, or their encoding is not known.',
    );
  return async (index) => ({
    type: 'mpt',
    header: toHex(header),
    branch: {
      transaction: await branchOf(ofTransactions, index),
      receipt: await branchOf(ofReceipts, index),
    },
    item: { index, transaction: toHex(values[index]!), receipt: toHex(results[index]!) },
  });
}

/** Undefined where the values are not those of the root. */
async function buildTrie(
  values: readonly (Uint8Array | undefined)[],
  root: string,
): Promise<MerklePatriciaTrie | undefined> {
  const trie = await createMPT();
  for (const [key, value] of values.entries()) {
    if (value === undefined) return undefined;
    await trie.put(RLP.encode(key), value);
  }
  return toHex(trie.root()) === root ? trie : undefined;
}

/** Nodes from the root to a value. */
async function branchOf(trie: MerklePatriciaTrie, index: number): Promise<string[]> {
  return (await createMerkleProof(trie, RLP.encode(index))).map(toHex);
}

const toHex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

/** Another node may tell more members, or the encodings. */
function none(reason: string): Show {
  const proof: NoProof = { type: 'none', reason, othersMayShow: true };
  return async () => proof;
}
