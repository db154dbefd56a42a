import type { TokenMetadata } from '@chainwatch/chain-core';
import { decodeText, decodeUint, encodeView } from './abi.ts';

/** Call data of the views that tell what a token is, in the order in which `toTokenMetadata` takes their results. */
export const metadataCalls = [
  encodeView('name'),
  encodeView('symbol'),
  encodeView('decimals'),
  encodeView('totalSupply'),
] as const;

/**
 * What a contract said of itself, undefined for a view that it does not answer. A contract that answers neither
 * `decimals` nor `totalSupply` is not a token; without `decimals` alone it is one whose decimals nobody knows; a missing
 * name is its symbol, a missing symbol is empty.
 */
export function toTokenMetadata([name, symbol, decimals, totalSupply]: readonly (string | undefined)[]):
  | TokenMetadata
  | undefined {
  const places = decodeDecimals(decimals);
  if (places === undefined && decodeUint(totalSupply) === undefined) return undefined;
  const symbolText = decodeText(symbol) ?? '';
  const nameText = decodeText(name) ?? '';
  return { name: nameText === '' ? symbolText : nameText, symbol: symbolText, decimals: places };
}

/** ERC-20's `decimals` is a uint8; what does not fit is not an answer. */
function decodeDecimals(result: string | undefined): number | undefined {
  const value = decodeUint(result);
  return value === undefined || value > 255n ? undefined : Number(value);
}
