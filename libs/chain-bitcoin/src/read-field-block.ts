// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { Block, BlockRef, Transaction, UnknownPart } from '@chainwatch/chain-core';
import { z } from 'zod';
import { decodeTransaction, parseBody, toBody, type TransactionBody } from './decode-transaction.ts';
import { buildTransaction, fieldsSchema, type TransactionFields } from './build-transaction.ts';
import { orderByParents } from './order-by-parents.ts';
import { parseHeader } from './parse-header.ts';
import { parseHex } from './parse-hex.ts';
import { UnknownEncodingError } from './read-transaction.ts';
import type { Session } from './session.ts';
import { formatOf } from './transaction-format.ts';
import type { TransactionFormat } from './transaction-format.ts';
import { expectCoinbase, expectMerkleRoot } from './verify-block.ts';

const blockSchema = z.object({
  tx: z.array(fieldsSchema.extend({ txid: z.string().regex(/^[0-9a-f]{64}$/), hex: z.string() })),
});

interface Read {
  readonly raw: TransactionBody;
  /** The flag behind its marker, where its bytes cannot be read. */
  readonly flag?: number;
  /** True when the node's txid is not the hash of the fields that the node shows. */
  readonly isUnproved: boolean;
}

/**
 * A block with transactions whose bytes cannot be read, which are built from the fields of `getblock` 2. The
 * txid covers these fields only, so header and merkle root prove inputs and outputs as in any other block.
 * Witnesses are not used, and not proved. Where the txid does not match, only the node's word stands for the
 * transaction.
 * @param bytes of the block; its header is read from them
 * @throws IncompleteBlockError, ChainClientError
 */
export async function readFieldBlock(
  { rpc, traits }: Session,
  { ref, bytes, signal }: { readonly ref: BlockRef; readonly bytes: Buffer; readonly signal?: AbortSignal },
): Promise<{ readonly block: Block; readonly unknowns: readonly UnknownPart[] }> {
  const header = parseHeader(bytes, traits);
  const told = blockSchema.safeParse(await rpc.call('getblock', [ref.hash, 2], { signal, hasAmounts: true }));
  if (!told.success)
    throw new ChainClientError(
      `getblock: expected transactions with their fields, got ${z.prettifyError(told.error).slice(0, 200)}`,
    );
  const format = formatOf(traits, ref.number);
  const read = told.data.tx.map((fields) => readOne(fields, format, traits.coinsMax));
  expectCoinbase(read.map(({ raw }) => raw));
  // Its proved id is a leaf, and all are as deep as it: inner nodes of the tree are no transactions.
  if (read[0]!.isUnproved)
    throw new IncompleteBlockError(
      `block ${ref.number} ${ref.hash}: expected the id of the coinbase from its fields, got another one`,
    );
  expectMerkleRoot(
    header,
    read.map(({ raw }) => raw),
  );
  const transactions = read.map(
    ({ raw, isUnproved }, index): Transaction => ({
      ...decodeTransaction(raw, index),
      ...(isUnproved && { verification: 'unproved' }),
    }),
  );
  const unknowns = read.flatMap(({ flag }, index) =>
    flag === undefined ? [] : [name(flag, transactions[index]!.hash)],
  );
  if (unknowns.length === 0)
    throw new IncompleteBlockError(
      `block ${ref.number} ${ref.hash}: expected the same transactions as bytes and as fields, got others`,
    );
  const { hash, parentHash, timestamp } = header;
  return {
    block: {
      number: ref.number,
      hash,
      parentHash,
      timestamp,
      transactions: traits.transactionOrder === 'canonical' ? orderByParents(transactions) : transactions,
      balanceChanges: [],
      touchedAssets: [],
    },
    unknowns,
  };
}

function readOne(
  fields: TransactionFields & { readonly txid: string; readonly hex: string },
  format: TransactionFormat,
  coinsMax: number | undefined,
): Read {
  try {
    return { raw: parseBody(parseHex('getblock', fields.hex), format), isUnproved: false };
  } catch (error) {
    if (!(error instanceof UnknownEncodingError)) throw error;
    const raw = toBody(buildTransaction(fields, coinsMax), format);
    const txidBytes = parseHex('getblock', fields.txid).reverse();
    return { raw: { ...raw, txidBytes }, flag: error.flag, isUnproved: !raw.txidBytes.equals(txidBytes) };
  }
}

function name(flag: number, transactionHash: string): UnknownPart {
  const kind = `transaction-encoding:0x${flag.toString(16).padStart(2, '0')}`;
  return { kind, transactionHash, expected: 'the flag 1 behind the marker, or none', got: String(flag) };
}
