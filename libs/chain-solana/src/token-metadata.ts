// SPDX-License-Identifier: Apache-2.0
import { cleanTokenText, decimalOfDouble, type UiMultiplier } from '@chainwatch/chain-core';
import { PublicKey } from '@solana/web3.js';

export interface TokenNames {
  readonly name: string;
  readonly symbol: string;
}

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
const KIND_MINT = 1;
const DECIMALS_AT = 44;
const INITIALIZED_AT = 45;
const EXTENSIONS_AT = 166;
const INTEREST_BEARING = 10;
const TOKEN_METADATA = 19;
const SCALED_UI_AMOUNT = 25;
/** Their authority comes first. */
const INTEREST_BYTES = 52;
const SCALED_BYTES = 56;
const AUTHORITY_BYTES = 32;
/** Metaplex: `MetadataV1`. */
const METADATA_KEY = 4;
const NAMES_AT = 65;
const TEXT_BYTES_MAX = 256;

/** Decimals of a mint of either token program; undefined when the account is no initialized mint. */
export function parseMintDecimals(data: Uint8Array): number | undefined {
  const isMint =
    data.length === MINT_BYTES || (data.length > ACCOUNT_BYTES && data[ACCOUNT_BYTES] === KIND_MINT);
  return isMint && data[INITIALIZED_AT] === 1 ? data[DECIMALS_AT] : undefined;
}

/** From the mint itself: the metadata extension of Token-2022. */
export function findExtensionNames(data: Uint8Array): TokenNames | undefined {
  const value = findExtension(data, TOKEN_METADATA);
  // Update authority and mint, then the texts.
  return value && readNames(value, 64);
}

/** From the mint itself: the extensions of Token-2022 for scaled amounts and for interest, of which a mint has one at most. */
export function findUiMultiplier(data: Uint8Array): UiMultiplier | undefined {
  const scaled = findExtension(data, SCALED_UI_AMOUNT);
  if (scaled?.length === SCALED_BYTES) return readScaled(viewOf(scaled));
  const interest = findExtension(data, INTEREST_BEARING);
  return interest?.length === INTEREST_BYTES ? readInterest(viewOf(interest)) : undefined;
}

/** Multiplier (f64), when the next one holds (i64), the next one (f64). */
function readScaled(view: DataView): UiMultiplier | undefined {
  const [value, next] = [0, 16].map((at) => decimalOfDouble(view.getFloat64(AUTHORITY_BYTES + at, true)));
  const at = Number(view.getBigInt64(AUTHORITY_BYTES + 8, true));
  if (value === undefined) return undefined;
  return {
    type: 'scaled',
    value,
    ...(next !== undefined && next !== value && { next: { value: next, at } }),
  };
}

/** Start (i64), average rate up to the last change (i16), last change (i64), rate since (i16). */
function readInterest(view: DataView): UiMultiplier {
  return {
    type: 'interest',
    startedAt: Number(view.getBigInt64(AUTHORITY_BYTES, true)),
    rateBefore: view.getInt16(AUTHORITY_BYTES + 8, true),
    changedAt: Number(view.getBigInt64(AUTHORITY_BYTES + 10, true)),
    rate: view.getInt16(AUTHORITY_BYTES + 18, true),
  };
}

/** Extensions are type (2 bytes), length (2 bytes), value. */
function findExtension(data: Uint8Array, wanted: number): Uint8Array | undefined {
  const view = viewOf(data);
  for (let at = EXTENSIONS_AT; at + 4 <= data.length; ) {
    const [type, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    if (type === 0) return undefined;
    if (type === wanted) return data.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return undefined;
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

/** From a Metaplex metadata account, which must be of that mint. */
export function parseMetaplexNames(data: Uint8Array, mint: string): TokenNames | undefined {
  if (data[0] !== METADATA_KEY || data.length < NAMES_AT) return undefined;
  if (!new PublicKey(data.subarray(33, NAMES_AT)).equals(new PublicKey(mint))) return undefined;
  return readNames(data, NAMES_AT);
}

/** Two texts, each after its length (4 bytes); Metaplex pads them with zero bytes. */
function readNames(data: Uint8Array, at: number): TokenNames | undefined {
  const view = viewOf(data);
  const texts: string[] = [];
  for (let next = at; texts.length < 2; ) {
    if (next + 4 > data.length) return undefined;
    const length = view.getUint32(next, true);
    if (length > TEXT_BYTES_MAX || next + 4 + length > data.length) return undefined;
    texts.push(cleanTokenText(Buffer.from(data.subarray(next + 4, next + 4 + length)).toString('utf8')));
    next += 4 + length;
  }
  return { name: texts[0]!, symbol: texts[1]! };
}
