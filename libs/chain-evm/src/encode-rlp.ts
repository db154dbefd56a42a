// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import { createKeccak } from 'hash-wasm';
import type { Hex } from 'viem';

// One synchronous WASM hasher for the process: 7 times faster than the JavaScript ones (docs/adr/0003-evm-completeness.md).
const hasher = await createKeccak(256);

/** An item of a list: a text from `data` or `quantity`, or a list of items. */
export type RlpItem = Hex | readonly RlpItem[];

/** A field that should be hexadecimal is not: the node's answer is broken. */
export class InvalidHexError extends BaseError {
  readonly code = 'invalid_hex';
  readonly retryable = true;
  constructor(field: unknown) {
    super(`expected hexadecimal digits, got ${JSON.stringify(String(field).slice(0, 40))}`);
  }
}

/** RLP of a list, after the byte of its type where it has one (EIP-2718). */
export function encodeRlp(items: readonly RlpItem[], type = 0): Uint8Array {
  const list = toRlpHex(items);
  return Buffer.from(type === 0 ? list : type.toString(16).padStart(2, '0') + list, 'hex');
}

/** RLP of a byte string by itself. */
export function encodeRlpItem(item: Hex): Uint8Array {
  return Buffer.from(toRlpHex(item), 'hex');
}

/**
 * RLP (Yellow Paper, appendix B) as hex without prefix. A text of digits grows and is turned into bytes once, which is 20
 * times faster than libraries that make a buffer of each item (docs/adr/0003-evm-completeness.md).
 */
function toRlpHex(item: RlpItem): string {
  if (typeof item === 'string')
    return item.length === 4 && item < '0x8' ? item.slice(2) : rlpHead(0x80, item.length - 2) + item.slice(2);
  let list = '';
  for (const one of item) list += toRlpHex(one);
  return rlpHead(0xc0, list.length) + list;
}

/** What stands before a text or a list of so many digits. @param kind 0x80 of texts, 0xc0 of lists */
export function rlpHead(kind: 0x80 | 0xc0, digits: number): string {
  const length = digits / 2;
  if (length <= 55) return (kind + length).toString(16);
  const size = length.toString(16);
  const whole = size.length % 2 === 0 ? size : `0${size}`;
  return (kind + 55 + whole.length / 2).toString(16) + whole;
}

/** A byte string: addresses, hashes, data. Null is the empty one. */
export function data(hex: string | null | undefined): Hex {
  if (hex === null || hex === undefined) return '0x';
  if (typeof hex !== 'string' || hex.length % 2 !== 0 || !/^0x[0-9a-f]*$/.test(hex))
    throw new InvalidHexError(hex);
  return hex as Hex;
}

/** A number without leading zeros. */
export function quantity(hex: string | null | undefined): Hex {
  if (hex === null || hex === undefined) return '0x';
  const digits = typeof hex === 'string' ? /^0x0*([0-9a-f]*)$/.exec(hex)?.[1] : undefined;
  if (digits === undefined) throw new InvalidHexError(hex);
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}

/** Keccak-256 of `bytes`, 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary');
}

/** Keccak-256 of `bytes` as lower-case hex without prefix. */
export function keccak256Hex(bytes: Uint8Array): string {
  return hasher.init().update(bytes).digest('hex');
}
