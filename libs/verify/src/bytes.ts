// SPDX-License-Identifier: Apache-2.0
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { fail } from './proof.ts';

/** Bytes of hexadecimal digits, with or without 0x. @throws InvalidProofError that names the member */
export function toBytes(member: string, hex: string | null | undefined): Uint8Array {
  try {
    return hexToBytes((hex ?? fail(`${member}: expected bytes, got none`)).replace(/^0x/, ''));
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'InvalidProofError') throw error;
    return fail(`${member}: expected hexadecimal digits`);
  }
}

export const toHex = (bytes: Uint8Array): string => bytesToHex(bytes);

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Big-endian. */
export function toNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytesToHex(bytes)}`);
}
