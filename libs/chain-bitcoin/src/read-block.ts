// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  settleUnknowns,
  ChainClientError,
  IncompleteBlockError,
  type Block,
  type BlockRef,
  type ReadBlockOptions,
  type Transaction,
  type UnknownPart,
} from '@chainwatch/chain-core';
import { z } from 'zod';
import { Transaction as RawTransaction } from 'bitcoinjs-lib';
import { callRaw } from './call-raw.ts';
import { isMissingBlock } from './classify-node-error.ts';
import { parseHex } from './parse-hex.ts';
import { UnknownEncodingError } from './read-transaction.ts';
import type { Session } from './session.ts';
import type { BitcoinTraits } from './bitcoin-traits.ts';
import { decodeTransaction, parseBody, toBody, type TransactionBody } from './decode-transaction.ts';
import { verifyBlock, expectCoinbase, expectMerkleRoot } from './verify-block.ts';
import { parseHeader } from './parse-header.ts';
import { formatOf, type TransactionFormat } from './transaction-format.ts';
import { amountSchema, parseAmount } from './parse-amount.ts';

/**
 * A whole block by hash, proved and decoded from its bytes; or from its fields, when it has transactions with
 * an unknown byte layout.
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError, UnknownContentError
 */
export async function readBlock(
  session: Session,
  {
    ref,
    signal,
    options,
  }: { readonly ref: BlockRef; readonly signal?: AbortSignal; readonly options?: ReadBlockOptions },
): Promise<Block> {
  const bytes = await readRawBlock(session, ref, signal);
  try {
    return decodeBlock(ref, bytes, session.traits);
  } catch (error) {
    if (!(error instanceof UnknownEncodingError)) throw error;
    const { block, unknowns } = await readFieldBlock(session, { ref, bytes, signal });
    return settleUnknowns(block, unknowns, options);
  }
}

/** A block's bytes, which prove nothing yet. @throws BlockNotFoundError, IncompleteBlockError, ChainClientError */
export async function readRawBlock(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<Buffer> {
  try {
    const hex = await callRaw(session, { method: 'getblock', hash: ref.hash, signal });
    return parseHex(`block ${ref.number} ${ref.hash}`, hex);
  } catch (error) {
    if (!isMissingBlock(error)) throw error;
    throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`, {
      cause: error,
      publicMessage: `block ${ref.number} is not known to the node`,
    });
  }
}

/** The block `ref` from its bytes, proved; parents before children, whatever their `index`. @throws IncompleteBlockError */
export function decodeBlock(ref: BlockRef, bytes: Buffer, traits: BitcoinTraits): Block {
  const { header, transactions } = verifyBlock(ref, bytes, traits);
  const decoded = transactions.map(decodeTransaction);
  return {
    number: ref.number,
    hash: header.hash,
    parentHash: header.parentHash,
    timestamp: header.timestamp,
    transactions: traits.transactionOrder === 'canonical' ? orderByParents(decoded) : decoded,
    balanceChanges: [],
    touchedAssets: [],
  };
}

const scriptSchema = z.object({ hex: z.string() });
const uint32 = z.int().min(0).max(0xffff_ffff);

/** The fields that the txid covers, as `getblock` 2 shows them. */
const fieldsSchema = z.object({
  version: z.int(),
  locktime: uint32,
  vin: z.array(
    z.union([
      z.object({ coinbase: z.string(), sequence: uint32 }),
      z.object({
        txid: z.string().regex(/^[0-9a-f]{64}$/),
        vout: uint32,
        scriptSig: scriptSchema,
        sequence: uint32,
      }),
    ]),
  ),
  vout: z.array(z.object({ value: amountSchema, scriptPubKey: scriptSchema })),
});

type TransactionFields = z.infer<typeof fieldsSchema>;

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
async function readFieldBlock(
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

const NO_OUTPUT = 0xffff_ffff;

/** A transaction without its witness (BIP-144), from its fields. @throws ChainClientError when a field is malformed */
function buildTransaction(
  { version, locktime, vin, vout }: TransactionFields,
  coinsMax?: number,
): RawTransaction {
  const transaction = new RawTransaction();
  // Some nodes show versions as signed integers, others as unsigned ones.
  transaction.version = version >>> 0;
  transaction.locktime = locktime;
  for (const input of vin) {
    if ('coinbase' in input)
      transaction.addInput(Buffer.alloc(32), NO_OUTPUT, input.sequence, parseHex('script', input.coinbase));
    else
      transaction.addInput(
        parseHex('txid', input.txid).reverse(),
        input.vout,
        input.sequence,
        parseHex('script', input.scriptSig.hex),
      );
  }
  for (const { value, scriptPubKey } of vout)
    transaction.addOutput(
      parseHex('script', scriptPubKey.hex),
      parseAmount({ what: 'getblock', coins: value, coinsMax }),
    );
  return transaction;
}

function name(flag: number, transactionHash: string): UnknownPart {
  const kind = `transaction-encoding:0x${flag.toString(16).padStart(2, '0')}`;
  return { kind, transactionHash, expected: 'the flag 1 behind the marker, or none', got: String(flag) };
}

/** The transactions of a block, each one behind those of the block that it spends from. */
export function orderByParents(transactions: readonly Transaction[]): readonly Transaction[] {
  const known = new Set(transactions.map(({ hash }) => hash));
  const children = new Map<string, Transaction[]>();
  const open = new Map<Transaction, number>();
  for (const transaction of transactions) {
    const inputs = transaction.utxo?.inputs ?? [];
    // Thousands of inputs may spend from one parent.
    const parents = new Set(inputs.flatMap(({ txid }) => (known.has(txid) ? [txid] : [])));
    open.set(transaction, parents.size);
    for (const txid of parents) {
      const listed = children.get(txid);
      if (listed === undefined) children.set(txid, [transaction]);
      else listed.push(transaction);
    }
  }
  const ordered = transactions.filter((transaction) => open.get(transaction) === 0);
  // The list grows while it is gone through.
  for (const { hash } of ordered) {
    for (const child of children.get(hash) ?? []) {
      const left = open.get(child)! - 1;
      open.set(child, left);
      if (left === 0) ordered.push(child);
    }
  }
  // Ids that are hashes make no circle; a node can make one up in a block of which it alone tells the fields.
  return ordered.length === transactions.length
    ? ordered
    : [...ordered, ...transactions.filter((transaction) => open.get(transaction)! > 0)];
}
