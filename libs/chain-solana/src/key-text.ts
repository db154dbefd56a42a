import { toBase58 } from './base58-text.ts';

const KEY_BYTES = 32;
const KNOWN_MAX = 100_000;
const known = new Map<string, string>();

/** Base58 of a key. Programs, pools and mints come again and again: finding one takes an eighth of encoding it. */
export function keyText(bytes: Buffer, offset: number): string {
  const binary = bytes.toString('latin1', offset, offset + KEY_BYTES);
  let text = known.get(binary);
  if (text !== undefined) return text;
  text = toBase58(bytes, offset, KEY_BYTES);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(binary, text);
  return text;
}
