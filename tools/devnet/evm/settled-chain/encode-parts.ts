// SPDX-License-Identifier: Apache-2.0
import { createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { keccak_256 } from '@noble/hashes/sha3.js';

// Encodings of a chain's parts, written a second time: specs compare the product's own with these.

export type Hex = `0x${string}`;

export interface ChainLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** The consensus fields of a receipt (EIP-658, EIP-2718). */
export interface ReceiptContent {
  /** Of its transaction. */
  readonly type: number;
  readonly isFailed: boolean;
  /** Gas of the block's transactions up to and including this one. */
  readonly cumulativeGasUsed: number;
  readonly logs: readonly ChainLog[];
}

/** Root of the trie that maps rlp(0…count-1) to `values` (Yellow Paper, appendix D). */
export async function rootOf(values: readonly Uint8Array[]): Promise<Hex> {
  const trie = await createMPT({ useKeyHashingFunction: keccak_256, cacheSize: 1_000 });
  for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value);
  return toHex(trie.root());
}

export function encodeReceipt(receipt: ReceiptContent): Uint8Array {
  const list = RLP.encode([
    receipt.isFailed ? new Uint8Array() : Uint8Array.of(1),
    bytesOf(toQuantity(receipt.cumulativeGasUsed)),
    bytesOf(bloomOf(receipt.logs)),
    receipt.logs.map(({ address, topics, data }) => [bytesOf(address), topics.map(bytesOf), bytesOf(data)]),
  ]);
  return withType(receipt.type, list);
}

/** After the byte of the type, where it has one. */
export function withType(type: number, list: Uint8Array): Uint8Array {
  return type === 0 ? list : Buffer.concat([Uint8Array.of(type), list]);
}

/** The 2,048-bit filter of addresses and topics (Yellow Paper, 4.3.1). */
export function bloomOf(logs: readonly ChainLog[]): Hex {
  let bits = 0n;
  for (const { address, topics } of logs) {
    for (const entry of [address, ...topics]) {
      const hash = keccak_256(bytesOf(entry));
      for (const at of [0, 2, 4]) bits |= 1n << BigInt(((hash[at]! << 8) | hash[at + 1]!) % 2_048);
    }
  }
  return `0x${bits.toString(16).padStart(512, '0')}`;
}

/** Keccak-256 of the RLP list of `fields`. */
export function hashOf(fields: readonly Hex[]): Hex {
  return toHex(keccak_256(RLP.encode(fields.map(bytesOf))));
}

export function keccak(bytes: Uint8Array): Hex {
  return toHex(keccak_256(bytes));
}

/** As JSON-RPC and RLP write numbers: no leading zeros. */
export function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}

export function toWord(value: number | bigint | Hex): Hex {
  const digits = typeof value === 'string' ? value.slice(2) : value.toString(16);
  return `0x${digits.padStart(64, '0')}`;
}

export function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** Bytes of data, or of a quantity, of which 0 has none. */
export function bytesOf(hex: Hex): Uint8Array {
  const digits = hex === '0x0' ? '' : hex.slice(2);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}
