// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { toBase58 } from '../base58-text.ts';

const SIGNATURE_BYTES = 64;
/** 4,096 bytes are the most of any version; decoding takes the square of the length. */
const TEXT_MAX = 8_192;
/** Of a message of version 1, whose signatures stand behind it (SIMD-0385). */
const VERSION_1 = 0x81;

/** The first signature of the transaction that `sendTransaction` sends, which is its id; undefined for anything else. */
export function findSignature(method: string, params: string): string | undefined {
  if (method !== 'sendTransaction') return undefined;
  try {
    const [text, config] = JSON.parse(params) as [string, { encoding?: string } | undefined];
    if (text.length > TEXT_MAX) return undefined;
    return signatureOf(config?.encoding === 'base64' ? Buffer.from(text, 'base64') : base58.decode(text));
  } catch {
    // Not a transaction, or its parameters have names, which no node takes.
    return undefined;
  }
}

function signatureOf(bytes: Uint8Array): string | undefined {
  // Otherwise their number stands before them, in one byte: a packet has no room for 128.
  const at = bytes[0] === VERSION_1 ? bytes.length - bytes[1]! * SIGNATURE_BYTES : 1;
  return at > 0 && at + SIGNATURE_BYTES <= bytes.length ? toBase58(bytes, at, SIGNATURE_BYTES) : undefined;
}
