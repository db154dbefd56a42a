// SPDX-License-Identifier: Apache-2.0
import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of the whole key: the 32 bytes that are stored. 143 random bits need no salt and no slow hash. */
export function hashApiKey(key: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(key, 'utf8').digest());
}

/** Whether two hashes are equal, in time that does not depend on where they differ. */
export function compareHash(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
