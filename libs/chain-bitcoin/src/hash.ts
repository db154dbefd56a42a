// SPDX-License-Identifier: Apache-2.0
import { hash, scryptSync } from 'node:crypto';

/** SHA-256 twice. */
export function hash256(bytes: Uint8Array): Buffer {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');
}

/** scrypt with N = 1,024, r = 1 and p = 1, salted with the header itself: the work of some chains. */
export function scryptHash(header: Uint8Array): Buffer {
  return scryptSync(header, header, 32, { N: 1_024, r: 1, p: 1 });
}

/** A hash as nodes and people write it: hexadecimal, last byte first. `bytes[from … from + 32]`. */
export function toHashText(bytes: Uint8Array, from = 0): string {
  return Buffer.from(bytes.subarray(from, from + 32))
    .reverse()
    .toString('hex');
}
