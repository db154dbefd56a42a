// SPDX-License-Identifier: Apache-2.0
import { Transaction as LibraryTransaction } from 'bitcoinjs-lib';
import {
  ChainClientError,
  IncompleteBlockError,
  type Transaction,
  decodeMemo,
  type UtxoOutput,
} from '@chainwatch/chain-core';
import { toHashText } from './hash.ts';
import { parseHex } from './parse-hex.ts';
import { ByteReader } from './byte-reader.ts';
import {
  expectKnownEncoding,
  readTransaction,
  UnknownEncodingError,
  type RawTransaction,
} from './read-transaction.ts';
import { skipTokenPrefix } from './token-prefix.ts';
import { MWEB_FLAG, type TransactionFormat } from './transaction-format.ts';

/** What a transaction moves, and its id. */
export type TransactionBody = Pick<RawTransaction, 'txidBytes' | 'isCoinbase' | 'inputs' | 'outputs'>;

/** A transaction of a proved block. Whom it touches is decided by the owner of the UTXO set. */
export function decodeTransaction(raw: TransactionBody, index: number): Transaction {
  const { isCoinbase, inputs, outputs } = raw;
  return {
    hash: toHashText(raw.txidBytes),
    index,
    isFailed: false,
    transfers: [],
    memo: readMemo(outputs),
    utxo: { isCoinbase, inputs, outputs },
  };
}

/**
 * A transaction alone, from the hex that a node gives, proved by its txid.
 * @throws ChainClientError when it is not that transaction, UnknownEncodingError
 */
export function parseTransaction(txid: string, hex: unknown, format: TransactionFormat): Transaction {
  const bytes = parseHex(`transaction ${txid}`, hex);
  const transaction = decodeTransaction(parseWhole(txid, bytes, format), 0);
  if (transaction.hash !== txid)
    throw new ChainClientError(`getrawtransaction: expected transaction ${txid}, got ${transaction.hash}`);
  return transaction;
}

function parseWhole(txid: string, bytes: Buffer, format: TransactionFormat): TransactionBody {
  try {
    return parseBody(bytes, format);
  } catch (error) {
    if (!(error instanceof IncompleteBlockError) || error instanceof UnknownEncodingError) throw error;
    throw new ChainClientError(`getrawtransaction: ${txid} is not whole: ${error.message}`, { cause: error });
  }
}

/**
 * One transaction outside a block, by bitcoinjs-lib; by the reader of our own, where it has parts of an extension block,
 * which the library does not know. @throws UnknownEncodingError, IncompleteBlockError when
 * the bytes are no transaction
 */
export function parseBody(bytes: Buffer, format: TransactionFormat): TransactionBody {
  const flag = expectKnownEncoding(bytes, 4, format);
  if ((flag & MWEB_FLAG) !== 0) return readTransaction(new ByteReader(bytes), format, true);
  let transaction: LibraryTransaction;
  try {
    transaction = LibraryTransaction.fromBuffer(bytes);
  } catch (error) {
    throw new IncompleteBlockError(
      `expected a transaction in ${bytes.length} bytes, got others: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  if (transaction.ins.length === 0)
    throw new IncompleteBlockError('expected a transaction with inputs, got none');
  return toBody(transaction, format);
}

export function toBody(transaction: LibraryTransaction, { hasTokens }: TransactionFormat): TransactionBody {
  const [first] = transaction.ins;
  // The library checks the hash only.
  const isCoinbase = transaction.isCoinbase() && first?.index === 0xffff_ffff;
  return {
    txidBytes: Buffer.from(transaction.getHash()),
    isCoinbase,
    inputs: isCoinbase
      ? []
      : transaction.ins.map(({ hash, index }) => ({ txid: toHashText(hash), vout: index })),
    outputs: transaction.outs.map(({ script, value }) => ({
      matchKey: Buffer.from(hasTokens ? script.subarray(skipTokenPrefix(script)) : script).toString('hex'),
      amountRaw: BigInt.asUintN(64, value),
    })),
  };
}

const OP_RETURN = 0x6a;
const OP_PUSHDATA1 = 0x4c;
const OP_PUSHDATA4 = 0x4e;

/** The text in outputs that nobody can spend, in their order. */
export function readMemo(outputs: readonly UtxoOutput[]): string | undefined {
  const scripts = outputs.filter(({ matchKey }) => matchKey.startsWith('6a'));
  return scripts.length === 0
    ? undefined
    : decodeMemo(scripts.map(({ matchKey }) => readPushes(Buffer.from(matchKey, 'hex'))));
}

/** What the script pushes behind OP_RETURN, together; nothing where it does something else, as protocols do. */
function readPushes(script: Buffer): Buffer {
  const pushes: Buffer[] = [];
  for (let at = 1; at < script.length; ) {
    const opcode = script[at]!;
    if (script[0] !== OP_RETURN || opcode > OP_PUSHDATA4) return Buffer.alloc(0);
    const lengthBytes = opcode < OP_PUSHDATA1 ? 0 : 2 ** (opcode - OP_PUSHDATA1);
    if (at + 1 + lengthBytes > script.length) return Buffer.alloc(0);
    const length = lengthBytes === 0 ? opcode : script.readUIntLE(at + 1, lengthBytes);
    const from = at + 1 + lengthBytes;
    if (from + length > script.length) return Buffer.alloc(0);
    pushes.push(script.subarray(from, from + length));
    at = from + length;
  }
  return Buffer.concat(pushes);
}
