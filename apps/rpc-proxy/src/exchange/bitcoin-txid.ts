import { sha256 } from '@noble/hashes/sha2.js';

/**
 * The id of a raw transaction: its hash without the witnesses (BIP-144), as it is written. Undefined for what is none.
 * An app may import no chain's SDK (ADR 1); the spec holds it against bitcoinjs-lib.
 */
export function bitcoinTxid(raw: Buffer): string | undefined {
  const hasWitness = raw[4] === 0 && raw[5] === 1;
  const start = hasWitness ? 6 : 4;
  const outputs = skipItems(raw, start, (at) => skipBytes(raw, at + 36) + 4);
  const end = skipItems(raw, outputs, (at) => skipBytes(raw, at + 8));
  if (!(end <= raw.length - 4)) return undefined;
  const stripped = Buffer.concat([
    raw.subarray(0, 4),
    raw.subarray(start, end),
    raw.subarray(raw.length - 4),
  ]);
  return Buffer.from(sha256(sha256(stripped)))
    .reverse()
    .toString('hex');
}

/** The place behind so many items; NaN past the end, however many there are said to be. */
function skipItems(raw: Buffer, from: number, skipItem: (at: number) => number): number {
  const [count, first] = readSize(raw, from);
  let at = first;
  for (let item = 0; item < count && at <= raw.length; item += 1) at = skipItem(at);
  return at;
}

function skipBytes(raw: Buffer, from: number): number {
  const [length, start] = readSize(raw, from);
  return start + length;
}

/** @returns the number and the place behind it */
function readSize(raw: Buffer, at: number): [size: number, next: number] {
  const first = raw[at];
  if (first !== undefined && first < 0xfd) return [first, at + 1];
  if (first === undefined || at + SIZE_BYTES[first]! > raw.length) return [NaN, NaN];
  if (first === 0xfd) return [raw.readUInt16LE(at + 1), at + 3];
  if (first === 0xfe) return [raw.readUInt32LE(at + 1), at + 5];
  return [Number(raw.readBigUInt64LE(at + 1)), at + 9];
}

const SIZE_BYTES: Readonly<Record<number, number>> = { 0xfd: 3, 0xfe: 5, 0xff: 9 };
