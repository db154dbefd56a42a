// SPDX-License-Identifier: Apache-2.0
import { cleanTokenText } from '@chainwatch/chain-core';
import { decodeAbiParameters, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Hex } from 'viem';

const tokenAbi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function ownerOf(uint256 id) view returns (address)',
  // ERC-8056.
  'function uiMultiplier() view returns (uint256)',
  'function newUIMultiplier() view returns (uint256)',
  'function effectiveAt() view returns (uint256)',
]);

type View =
  | 'name'
  | 'symbol'
  | 'decimals'
  | 'totalSupply'
  | 'uiMultiplier'
  | 'newUIMultiplier'
  | 'effectiveAt';

/** Of a text result: 16 KiB. */
const RESULT_DIGITS_MAX = 32_768;
const decoder = new TextDecoder('utf-8');

/** Call data of a view without arguments. */
export function encodeView(functionName: View): string {
  return encodeFunctionData({ abi: tokenAbi, functionName });
}

/** Call data of ERC-165's question; `id` is `0x` and 8 digits. */
export function encodeSupportsInterface(id: Hex): string {
  return encodeFunctionData({ abi: tokenAbi, functionName: 'supportsInterface', args: [id] });
}

/** Call data of ERC-721's `ownerOf`, which collections from before it have as well. */
export function encodeOwnerOf(id: bigint): string {
  return encodeFunctionData({ abi: tokenAbi, functionName: 'ownerOf', args: [id] });
}

/** Call data of `balanceOf`; `address` is `0x` and 40 digits. */
export function encodeBalanceOf(address: string): string {
  return encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [address as Hex] });
}

/** The first word of a result; undefined when it is shorter than one. */
export function decodeUint(result: string | undefined): bigint | undefined {
  if (result === undefined || !/^0x[0-9a-fA-F]{64}/.test(result)) return undefined;
  return decodeAbiParameters([{ type: 'uint256' }], result.slice(0, 66) as Hex)[0];
}

/**
 * A text result: `string`, or `bytes32` as early tokens have it. At most 128 characters, without control characters;
 * what is not UTF-8 becomes U+FFFD. Undefined when it is neither.
 */
export function decodeText(result: string | undefined): string | undefined {
  // Megabytes of text are nobody's name, and more than a regular expression takes.
  if (result !== undefined && result.length > RESULT_DIGITS_MAX) return undefined;
  const whole = /^0x(?:[0-9a-fA-F]{2}){32,}/.exec(result ?? '')?.[0];
  if (whole === undefined) return undefined;
  // Early tokens fill their word with zeros.
  if (whole.length === 66) return decodeBytes(whole.slice(2).replace(/(?:00)+$/, ''));
  try {
    return cleanTokenText(decodeAbiParameters([{ type: 'string' }], whole as Hex)[0]);
  } catch {
    return undefined;
  }
}

/** Text of bytes as hexadecimal digits without prefix, made harmless like `decodeText`'s. */
export function decodeBytes(digits: string): string {
  return cleanTokenText(decoder.decode(Buffer.from(digits, 'hex')));
}
