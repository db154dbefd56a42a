// SPDX-License-Identifier: Apache-2.0
import { findRawHex, type RpcTransactions } from '@chainwatch/chain-core';
import { ethereumTransactions } from '@chainwatch/ethereum/rpc';
import { keccak256Hex } from '../encode-rlp.ts';

const SENDS = /^eth_sendRawTransaction$/;
const BLOB_TRANSACTION = 0x03;
const LIST = 0xc0;
const LONG_LIST = 0xf7;

export const evmTransactions: RpcTransactions = {
  ...ethereumTransactions,
  broadcasts: SENDS,
  lookUp: {
    hashOf: (method, params) => {
      const raw = SENDS.test(method) ? findRawHex(params) : undefined;
      return raw && `0x${keccak256Hex(signedPart(Buffer.from(raw, 'hex')))}`;
    },
    questionsOf: (hash) => [
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionReceipt', [hash]],
    ],
  },
};

/**
 * The bytes that the hash covers: of a blob transaction with its blobs (EIP-4844, EIP-7594), the first item of the list
 * alone, which is a list itself.
 */
function signedPart(raw: Buffer): Buffer {
  if (raw[0] !== BLOB_TRANSACTION) return raw;
  const body = readListHead(raw, 1);
  const first = body && readListHead(raw, body.start);
  return first === undefined
    ? raw
    : Buffer.concat([raw.subarray(0, 1), raw.subarray(body!.start, first.end)]);
}

/** Where the items of the RLP list at `at` start and end; undefined if there is no list. */
function readListHead(
  bytes: Buffer,
  at: number,
): { readonly start: number; readonly end: number } | undefined {
  const kind = bytes[at];
  if (kind === undefined || kind < LIST) return undefined;
  if (kind <= LONG_LIST) return { start: at + 1, end: at + 1 + kind - LIST };
  const digits = kind - LONG_LIST;
  if (digits > 4 || at + 1 + digits > bytes.length) return undefined;
  const start = at + 1 + digits;
  return { start, end: start + bytes.readUIntBE(at + 1, digits) };
}
