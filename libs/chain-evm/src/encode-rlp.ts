import { BaseError } from '@chainwatch/problem';
import { createKeccak } from 'hash-wasm';
import { toRlp } from 'viem/utils';
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
  const list = toRlp(items as RlpItem[], 'bytes');
  return type === 0 ? list : Buffer.concat([Buffer.of(type), list]);
}

/** A byte string: addresses, hashes, data. Null is the empty one. */
export function data(hex: string | null | undefined): Hex {
  if (hex === null || hex === undefined) return '0x';
  if (typeof hex !== 'string' || !/^0x(?:[0-9a-f]{2})*$/.test(hex)) throw new InvalidHexError(hex);
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
