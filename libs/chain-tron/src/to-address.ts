// SPDX-License-Identifier: Apache-2.0
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { LRUCache } from 'lru-cache';
import { utils } from 'tronweb';

const VERSION = '41';
const base58check = createBase58check(sha256);
/** Addresses of a block repeat, and those of the next one are mostly the same: Base58Check costs two hashes and a division. */
const known = new LRUCache<string, string>({ max: 200_000 });

/** `T…` of an account's 20 bytes as lower-case hexadecimal digits. For blocks: tronweb's takes three times as long (docs/adr/0008-tron-blocks.md). */
export function toAddress(digits: string): string {
  const found = known.get(digits);
  if (found !== undefined) return found;
  const address = base58check.encode(Buffer.from(VERSION + digits, 'hex'));
  known.set(digits, address);
  return address;
}

/** `T…` of an address as contracts of blocks hold it: 21 bytes, version first. Undefined for anything else (empty where there is none). */
export function findAddress(bytes: Uint8Array): string | undefined {
  const hex = Buffer.from(bytes).toString('hex');
  return hex.length === 42 && hex.startsWith(VERSION) ? toAddress(hex.slice(2)) : undefined;
}

/** `41` and 40 digits of a canonical address, as the wallet API takes it. */
export function toHexAddress(address: string): string {
  return utils.address.toHex(address);
}

/** `0x` and 40 digits of a canonical address, as the Ethereum-compatible interface takes it. */
export function toEvmAddress(address: string): string {
  return `0x${toHexAddress(address).slice(2)}`;
}
