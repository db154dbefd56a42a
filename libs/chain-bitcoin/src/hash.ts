import { hash } from 'node:crypto';

/** SHA-256 twice. */
export function hash256(bytes: Uint8Array): Buffer {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');
}

/** A hash as nodes and people write it: hexadecimal, last byte first. `bytes[from … from + 32]`. */
export function toHashText(bytes: Uint8Array, from = 0): string {
  return Buffer.from(bytes.subarray(from, from + 32))
    .reverse()
    .toString('hex');
}
