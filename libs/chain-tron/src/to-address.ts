import { LRUCache } from 'lru-cache';
import { encodeBase58Check } from '@chainwatch/chain-core';

const VERSION = '41';
/** Addresses of a block repeat, and those of the next one are mostly the same: Base58Check costs two hashes and a division. */
const known = new LRUCache<string, string>({ max: 200_000 });

/** `T…` of an account's 20 bytes as lower-case hexadecimal digits. */
export function toAddress(digits: string): string {
  const found = known.get(digits);
  if (found !== undefined) return found;
  const address = encodeBase58Check(Buffer.from(VERSION + digits, 'hex'));
  known.set(digits, address);
  return address;
}

/** `T…` of an address as contracts of blocks hold it: 21 bytes, version first. Undefined for anything else (empty where there is none). */
export function findAddress(bytes: Uint8Array): string | undefined {
  const hex = Buffer.from(bytes).toString('hex');
  return hex.length === 42 && hex.startsWith(VERSION) ? toAddress(hex.slice(2)) : undefined;
}
