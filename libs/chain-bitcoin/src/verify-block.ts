// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import type { BitcoinTraits } from './bitcoin-traits.ts';
import { ByteReader } from './byte-reader.ts';
import { hash256, toHashText } from './hash.ts';
import { computeMerkleRoot } from './merkle-root.ts';
import { parseHeader } from './parse-header.ts';
import type { RawHeader } from './parse-header.ts';
import { readTransaction, UnknownEncodingError } from './read-transaction.ts';
import type { RawTransaction } from './read-transaction.ts';
import { formatOf } from './transaction-format.ts';
import type { TransactionFormat } from './transaction-format.ts';

export interface VerifiedBlock {
  readonly header: RawHeader;
  readonly transactions: readonly RawTransaction[];
}

const TRANSACTION_BYTES_MIN = 60;
/** OP_RETURN, a push of 36 bytes, and the commitment's own tag (BIP-141). */
const COMMITMENT_PREFIX = '6a24aa21a9ed';

/**
 * Reads a block's bytes and proves that they are the whole block `ref`: the header's hash, the merkle root over the
 * transactions, and the witness commitment.
 * @throws IncompleteBlockError, UnknownEncodingError
 */
export function verifyBlock(ref: BlockRef, bytes: Buffer, traits: BitcoinTraits): VerifiedBlock {
  const header = parseHeader(bytes, traits);
  if (header.hash !== ref.hash)
    throw new IncompleteBlockError(`block ${ref.number}: expected hash ${ref.hash}, got ${header.hash}`);
  try {
    const transactions = readTransactions(new ByteReader(bytes, header.length), formatOf(traits, ref.number));
    expectCoinbase(transactions);
    expectMerkleRoot(header, transactions);
    if (traits.segwitHeight !== undefined) expectCommitment(transactions, ref.number >= traits.segwitHeight);
    return { header, transactions };
  } catch (error) {
    if (!(error instanceof IncompleteBlockError) || error instanceof UnknownEncodingError) throw error;
    throw new IncompleteBlockError(`block ${ref.number} ${ref.hash}: ${error.message}`, { cause: error });
  }
}

function readTransactions(reader: ByteReader, format: TransactionFormat): RawTransaction[] {
  const count = reader.readCount(TRANSACTION_BYTES_MIN);
  const transactions: RawTransaction[] = [];
  for (let index = 0; index < count; index++) transactions.push(readTransaction(reader, format));
  const hogExAt = transactions.findIndex(({ isHogEx }) => isHogEx);
  if (hogExAt >= 0) skipExtensionBlock(reader, hogExAt === count - 1);
  if (reader.left > 0)
    throw new IncompleteBlockError(
      `expected the block to end after ${count} transactions, got ${reader.left} bytes more`,
    );
  return transactions;
}

/**
 * The extension block stands behind the last transaction, which names its header. What is in it is read past: its amounts
 * and receivers are hidden, and what leaves it for the chain is an output of that transaction.
 */
function skipExtensionBlock(reader: ByteReader, isLast: boolean): void {
  if (!isLast)
    throw new IncompleteBlockError('expected the transaction of the extension block to be the last one');
  if (reader.left > 0 && reader.bytes[reader.skip(1)] === 1) reader.skip(reader.left);
}

/** Also refuses inner nodes of the tree passed off as transactions of 64 bytes: the first of these is no coinbase. */
export function expectCoinbase(transactions: readonly Pick<RawTransaction, 'isCoinbase'>[]): void {
  const at = transactions.flatMap(({ isCoinbase }, index) => (isCoinbase ? [index] : []));
  if (at.length !== 1 || at[0] !== 0) {
    throw new IncompleteBlockError(
      `expected one coinbase, in front, got ${at.length === 0 ? 'none' : `one at ${at.join(', ')}`}`,
    );
  }
}

export function expectMerkleRoot(
  { merkleRoot }: RawHeader,
  transactions: readonly Pick<RawTransaction, 'txidBytes'>[],
): void {
  const { root, isMutated } = computeMerkleRoot(transactions.map(({ txidBytes }) => txidBytes));
  if (!root.equals(merkleRoot))
    throw new IncompleteBlockError(`expected merkle root ${toHashText(merkleRoot)}, got ${toHashText(root)}`);
  if (isMutated)
    throw new IncompleteBlockError(
      'expected every transaction once, got some twice under the same merkle root',
    );
}

/** Checks the witness commitment (BIP-141). Before segwit was active miners wrote commitments that committed to nothing. */
function expectCommitment(transactions: readonly RawTransaction[], isSegwitActive: boolean): void {
  const coinbase = transactions[0] as RawTransaction;
  const commitment = coinbase.outputs.findLast(
    ({ matchKey }) => matchKey.length >= 76 && matchKey.startsWith(COMMITMENT_PREFIX),
  );
  const isBare = !transactions.some(({ hasWitness }) => hasWitness);
  if (commitment === undefined) {
    if (!isBare)
      throw new IncompleteBlockError('expected no witness in a block without a witness commitment, got one');
    return;
  }
  if (isBare && !isSegwitActive) return;
  const [reserved, ...more] = coinbase.firstWitness;
  if (reserved?.length !== 32 || more.length > 0)
    throw new IncompleteBlockError('expected the reserved value of 32 bytes as the witness of the coinbase');
  const leaves = transactions.map(({ wtxidBytes }, index) => (index === 0 ? Buffer.alloc(32) : wtxidBytes));
  const got = hash256(Buffer.concat([computeMerkleRoot(leaves).root, reserved])).toString('hex');
  const expected = commitment.matchKey.slice(12, 76);
  if (got !== expected) throw new IncompleteBlockError(`expected witness commitment ${expected}, got ${got}`);
}
