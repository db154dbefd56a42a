// SPDX-License-Identifier: Apache-2.0
import { formatAmount } from '@chainwatch/common/amounts';
import type { TokenMetadata, UiMultiplier } from '@chainwatch/chain-core';
import { decodeText, decodeUint, encodeOwnerOf, encodeSupportsInterface, encodeView } from './abi.ts';

/** What every contract is asked. */
const VIEWS = [
  encodeView('name'),
  encodeView('symbol'),
  encodeView('decimals'),
  encodeView('totalSupply'),
  encodeSupportsInterface('0x80ac58cd'),
  encodeView('uiMultiplier'),
];
/** What those are asked that answered as few do. Of what ERC-165 says that nobody supports, a yes means that any call gets it. */
const DETAILS = [
  encodeSupportsInterface('0xffffffff'),
  encodeView('newUIMultiplier'),
  encodeView('effectiveAt'),
];
/** Ids of which a collection has at least one, where none is known. */
const FIRST_IDS = [1n, 0n];
/** ERC-8056: 1e18 stands for 1. */
const MULTIPLIER_DECIMALS = 18;

export interface TokenContract {
  /** As calls name it. */
  readonly to: string;
  /** An amount that a transfer moved: of a collection the id of a token. */
  readonly moved?: bigint | undefined;
}

type Result = string | undefined;

/**
 * What contracts say of themselves, in order, by calls that `call` makes: undefined for a view that is not answered. Two rounds,
 * because most contracts answer the first one as plain tokens do.
 *
 * A contract that answers neither `decimals` nor `totalSupply`, and is no collection, is not a token; without `decimals` alone
 * it is one whose decimals nobody knows; a missing name is its symbol, a missing symbol is empty. A collection says so (ERC-165),
 * or has owners of single tokens and no decimals, as those from before the standard.
 */
export async function readTokenContracts(
  contracts: readonly TokenContract[],
  call: (calls: readonly { readonly to: string; readonly data: string }[]) => Promise<Result[]>,
): Promise<(TokenMetadata | undefined)[]> {
  const ask = async (questions: readonly (readonly string[])[]): Promise<Result[][]> => {
    const results = (
      await call(contracts.flatMap(({ to }, i) => questions[i]!.map((data) => ({ to, data }))))
    ).values();
    return questions.map((asked) => asked.map(() => results.next().value));
  };
  const first = await ask(contracts.map(() => VIEWS));
  const second = await ask(
    contracts.map(({ moved }, i) => {
      const ids = moved === undefined ? FIRST_IDS : [moved, ...FIRST_IDS];
      return isPlain(first[i]!) ? [] : [...DETAILS, ...ids.map(encodeOwnerOf)];
    }),
  );
  return contracts.map((_, i) => toTokenMetadata(first[i]!, second[i]!));
}

function isPlain([, , decimals, , isCollection, multiplier]: readonly Result[]): boolean {
  return (
    decodeDecimals(decimals) !== undefined && !isYes(isCollection) && decodeUint(multiplier) === undefined
  );
}

function toTokenMetadata(
  [name, symbol, decimals, totalSupply, isCollection, multiplier]: readonly Result[],
  [isAnything, nextMultiplier, effectiveAt, ...owners]: readonly Result[],
): TokenMetadata | undefined {
  const places = decodeDecimals(decimals);
  const isNft =
    (isYes(isCollection) && !isYes(isAnything)) || (places === undefined && owners.some(isAccount));
  if (!isNft && places === undefined && decodeUint(totalSupply) === undefined) return undefined;
  const symbolText = decodeText(symbol) ?? '';
  const nameText = decodeText(name) ?? '';
  const uiMultiplier =
    isNft || isYes(isAnything) ? undefined : toMultiplier(multiplier, nextMultiplier, effectiveAt);
  return {
    name: nameText === '' ? symbolText : nameText,
    symbol: symbolText,
    decimals: isNft ? undefined : places,
    ...(isNft && { isNft }),
    ...(uiMultiplier !== undefined && { uiMultiplier }),
  };
}

/** ERC-20's `decimals` is a uint8; what does not fit is not an answer. */
function decodeDecimals(result: Result): number | undefined {
  const value = decodeUint(result);
  return value === undefined || value > 255n ? undefined : Number(value);
}

function isYes(result: Result): boolean {
  return decodeUint(result) === 1n;
}

/** One word with an account, which TRON may write with its prefix. */
function isAccount(result: Result): boolean {
  const value = result?.length === 66 ? decodeUint(result) : undefined;
  return value !== undefined && value > 1n && value >> 168n === 0n;
}

/** ERC-8056. What is announced is part of it until it holds: nobody sends a transaction then. */
function toMultiplier(now: Result, next: Result, effectiveAt: Result): UiMultiplier | undefined {
  const [value, announced, at] = [now, next, effectiveAt].map(decodeUint);
  if (value === undefined || value === 0n) return undefined;
  const isAnnounced =
    announced !== undefined &&
    announced !== value &&
    announced > 0n &&
    at !== undefined &&
    at <= BigInt(Number.MAX_SAFE_INTEGER);
  return {
    type: 'scaled',
    value: formatAmount(value, MULTIPLIER_DECIMALS),
    ...(isAnnounced && { next: { value: formatAmount(announced, MULTIPLIER_DECIMALS), at: Number(at) } }),
  };
}
