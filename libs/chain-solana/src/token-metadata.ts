import { cleanTokenText } from '@chainwatch/chain-core';
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
const TOKEN_METADATA = 19;
/** Metaplex: `MetadataV1`. */
const METADATA_KEY = 4;
const NAMES_AT = 65;
const TEXT_BYTES_MAX = 256;

/** Decimals of a mint of either token program; undefined when the account is no initialised mint. */
export function parseMintDecimals(data: Uint8Array): number | undefined {
  const isMint =
    data.length === MINT_BYTES || (data.length > ACCOUNT_BYTES && data[ACCOUNT_BYTES] === KIND_MINT);
  return isMint && data[INITIALIZED_AT] === 1 ? data[DECIMALS_AT] : undefined;
}

/** From the mint itself: the metadata extension of Token-2022. Extensions are type (2 bytes), length (2 bytes), value. */
export function findExtensionNames(data: Uint8Array): TokenNames | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = EXTENSIONS_AT; at + 4 <= data.length; ) {
    const [type, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    if (type === 0) return undefined;
    // Update authority and mint, then the texts.
    if (type === TOKEN_METADATA) return readNames(data.subarray(at + 4, at + 4 + length), 64);
    at += 4 + length;
  }
  return undefined;
}

/** From a Metaplex metadata account, which must be of that mint. */
export function parseMetaplexNames(data: Uint8Array, mint: string): TokenNames | undefined {
  if (data[0] !== METADATA_KEY || data.length < NAMES_AT) return undefined;
  if (!new PublicKey(data.subarray(33, NAMES_AT)).equals(new PublicKey(mint))) return undefined;
  return readNames(data, NAMES_AT);
}

/** Two texts, each after its length (4 bytes); Metaplex pads them with zero bytes. */
function readNames(data: Uint8Array, at: number): TokenNames | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
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
