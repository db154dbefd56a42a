// SPDX-License-Identifier: Apache-2.0
import type { NameBook, NamedNetwork } from './name-book.ts';
import known from './known-tokens.json' with { type: 'json' };
import { limit, shorten, type TextPiece } from './message.ts';

const SYMBOL_LENGTH_MAX = 24;
const MULTIPLIER_LENGTH_MAX = 24;
/** Symbols of well-known tokens at their contracts. */
const KNOWN_TOKENS: Readonly<Record<string, string>> = known.tokens;
/** Letters of other scripts, and digits, that look like Latin letters. */
// cspell:disable
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...pair('АВСЕНІЈКМОРЅТХУԁ', 'ABCEHIJKMOPSTXYD'),
  ...pair('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'),
  ...pair('ՍՏ₮$015', 'USTSOIS'),
};
// cspell:enable
const KNOWN_SHAPES = new Set([...known.coins, ...Object.values(KNOWN_TOKENS)].map(toShape));

/**
 * An asset as people read it. A contract chooses its symbol, so a token that is not well known shows its contract, too; one
 * with the symbol of a well-known asset is marked as unverified.
 */
export function nameAsset(assetGid: string, names: NameBook): string {
  const chainGid = assetGid.slice(0, Math.max(0, assetGid.indexOf('/')));
  const network = names.findNetwork(chainGid);
  const given = findTrusted(assetGid, network);
  if (given !== undefined) return limit(given, SYMBOL_LENGTH_MAX);
  const contract = findContract(assetGid);
  if (contract === undefined) return 'native coin';
  const symbol = names.findToken(assetGid)?.symbol?.trim() ?? '';
  if (!isReadable(symbol)) return shorten(contract);
  const isImitation = [...KNOWN_SHAPES, toShape(network?.native?.symbol ?? '')].includes(toShape(symbol));
  return `${limit(symbol, SYMBOL_LENGTH_MAX)} (${isImitation ? 'unverified, ' : ''}${shorten(contract)})`;
}

/** A line with the contract of a token; none for the coin of a chain. */
export function describeContract(assetGid: string, names: NameBook): (readonly TextPiece[])[] {
  const contract = findContract(assetGid);
  if (contract === undefined) return [];
  const multiplier = names.findToken(assetGid)?.multiplier;
  const note =
    multiplier === undefined
      ? []
      : [` (wallets show amounts times ${limit(multiplier, MULTIPLIER_LENGTH_MAX)})`];
  return [['Token: ', { code: contract }, ...note]];
}

/** The contract of a token; undefined for the coin of a chain. */
function findContract(assetGid: string): string | undefined {
  const path = assetGid.slice(assetGid.indexOf('/') + 1);
  return path.startsWith('slip44:') ? undefined : path.slice(path.indexOf(':') + 1);
}

/** A symbol that the operator, the chain, or the list of well-known tokens gives. */
function findTrusted(assetGid: string, network: NamedNetwork | undefined): string | undefined {
  if (network?.native?.gid === assetGid) return network.native.symbol;
  if (Object.hasOwn(KNOWN_TOKENS, assetGid)) return KNOWN_TOKENS[assetGid];
  return network?.tokens?.find(({ gid }) => gid === assetGid)?.symbol;
}

/** Letters and digits, with few other characters. No address of a website: chat services would link it. */
function isReadable(symbol: string): boolean {
  return (
    /^[\p{L}\p{M}\p{N}\p{Sc}][\p{L}\p{M}\p{N}\p{Sc}+\-_. ]*$/u.test(symbol) && !/\.\p{L}{2,}/u.test(symbol)
  );
}

/** The same for symbols that look alike. */
function toShape(symbol: string): string {
  const letters = Array.from(
    symbol.normalize('NFKD').toUpperCase(),
    (letter) => LOOKALIKES[letter] ?? letter,
  );
  return letters.join('').replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function pair(from: string, to: string): Record<string, string> {
  const letters = Array.from(to);
  return Object.fromEntries(Array.from(from, (letter, index) => [letter, letters[index]!]));
}
