// SPDX-License-Identifier: Apache-2.0
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { LRUCache } from 'lru-cache';

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
