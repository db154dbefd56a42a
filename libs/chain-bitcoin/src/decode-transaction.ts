import { ChainClientError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { Transaction } from '@chainwatch/chain-core';
import { ByteReader } from './byte-reader.ts';
import { toHashText } from './hash.ts';
import { parseHex } from './parse-hex.ts';
import { readTransaction, UnknownEncodingError } from './read-transaction.ts';
import type { RawTransaction } from './read-transaction.ts';

/** The transaction of a proved block. Who it touches is for the owner of the UTXO set to say. */
export function decodeTransaction(raw: RawTransaction, index: number): Transaction {
  const { isCoinbase, inputs, outputs } = raw;
  return {
    hash: toHashText(raw.txidBytes),
    index,
    isFailed: false,
    transfers: [],
    utxo: { isCoinbase, inputs, outputs },
  };
}

/**
 * A transaction alone, from the hex that a node gives, proved by its txid.
 * @throws ChainClientError when it is not that transaction, UnknownEncodingError
 */
export function parseTransaction(txid: string, hex: unknown): Transaction {
  const reader = new ByteReader(parseHex(`transaction ${txid}`, hex));
  const transaction = decodeTransaction(readWhole(txid, reader), 0);
  if (transaction.hash !== txid)
    throw new ChainClientError(`getrawtransaction: expected transaction ${txid}, got ${transaction.hash}`);
  return transaction;
}

function readWhole(txid: string, reader: ByteReader): RawTransaction {
  try {
    const raw = readTransaction(reader);
    if (reader.left > 0) throw new IncompleteBlockError(`got ${reader.left} bytes after its end`);
    return raw;
  } catch (error) {
    if (!(error instanceof IncompleteBlockError) || error instanceof UnknownEncodingError) throw error;
    throw new ChainClientError(`getrawtransaction: ${txid} is not whole: ${error.message}`, { cause: error });
  }
}
