// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { BaseError } from '../problem/index.ts';

/** CAIP-2 as interface.md restricts it: no hyphen in the namespace (decisions.md §1.3; no supported namespace has one). */
export const CHAIN_GID_PATTERN = /^[a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;

/** The path form of an asset, `<asset_namespace>:<asset_reference>` (interface.md, Identifier formats). */
const ASSET_PATH_PATTERN = /^[a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$/;

/** CAIP-19 asset type, `<chain_gid>/<asset_path>`. */
export const ASSET_GID_PATTERN = /^[a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}\/[a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$/;

/** A checked CAIP-2 chain id, `eip155:1`. Case-sensitive. */
export type ChainGid = string & z.core.$brand<'ChainGid'>;

export interface ChainGidParts {
  /** `eip155` */
  readonly namespace: string;
  /** `1` */
  readonly reference: string;
}

const CHAIN_GID_EXPECTED = 'a CAIP-2 chain id such as "eip155:1"';

/** @throws InvalidCaipError */
export function parseChainGid(text: string): ChainGid {
  if (typeof text !== 'string' || !CHAIN_GID_PATTERN.test(text))
    throw new InvalidCaipError(CHAIN_GID_EXPECTED, text);
  return text as ChainGid;
}

/** @throws InvalidCaipError when `text` is not a CAIP-2 chain id */
export function splitChainGid(text: string): ChainGidParts {
  const gid = parseChainGid(text);
  const colon = gid.indexOf(':');
  return { namespace: gid.slice(0, colon), reference: gid.slice(colon + 1) };
}

/** A checked `<asset_namespace>:<asset_reference>`, `slip44:60`: an asset within its chain, and a path parameter. */
type AssetPath = string & z.core.$brand<'AssetPath'>;

const ASSET_PATH_EXPECTED = 'an asset path such as "slip44:60" or "erc20:0x…"';

/** @throws InvalidCaipError */
export function parseAssetPath(text: string): AssetPath {
  if (typeof text !== 'string' || !ASSET_PATH_PATTERN.test(text))
    throw new InvalidCaipError(ASSET_PATH_EXPECTED, text);
  return text as AssetPath;
}

/** A checked CAIP-19 asset type, `eip155:1/slip44:60`: what the API calls the gid of an asset. */
export type AssetGid = string & z.core.$brand<'AssetGid'>;

export interface AssetGidParts {
  readonly chainGid: ChainGid;
  /** `erc20:0x…`: the part after the slash. */
  readonly assetPath: AssetPath;
  readonly namespace: string;
  readonly reference: string;
}

const ASSET_GID_EXPECTED = 'a CAIP-19 asset id such as "eip155:1/slip44:60"';

/** Parts of a CAIP-19 asset type. @throws InvalidCaipError, also for one item of a collection (an asset id) */
export function splitAssetGid(text: string): AssetGidParts {
  if (typeof text !== 'string' || !ASSET_GID_PATTERN.test(text))
    throw new InvalidCaipError(ASSET_GID_EXPECTED, text);
  const slash = text.indexOf('/');
  const colon = text.indexOf(':', slash);
  return {
    chainGid: text.slice(0, slash) as ChainGid,
    assetPath: text.slice(slash + 1) as AssetPath,
    namespace: text.slice(slash + 1, colon),
    reference: text.slice(colon + 1),
  };
}

/** `joinAssetGid('eip155:1', 'slip44:60')` → `eip155:1/slip44:60`. @throws InvalidCaipError */
export function joinAssetGid(chainGid: string, assetPath: string): AssetGid {
  return `${parseChainGid(chainGid)}/${parseAssetPath(assetPath)}` as AssetGid;
}

/** Path parameter and body field `chain_gid`. */
export const chainGidSchema = patternSchema(CHAIN_GID_PATTERN, CHAIN_GID_EXPECTED).brand<'ChainGid'>();
/** Path parameter `asset_path`. */
export const assetPathSchema = patternSchema(ASSET_PATH_PATTERN, ASSET_PATH_EXPECTED).brand<'AssetPath'>();
/** Asset `gid`: CAIP-19 without a token id. */
export const assetGidSchema = patternSchema(ASSET_GID_PATTERN, ASSET_GID_EXPECTED).brand<'AssetGid'>();

// A regex check, not a transform: the pattern shows in the OpenAPI document.
function patternSchema(pattern: RegExp, expected: string): z.ZodString {
  return z
    .string({ error: ({ input }) => `expected ${expected}, got ${showValue(input)}` })
    .regex(pattern, { error: ({ input }) => `expected ${expected}, got ${showValue(input)}` });
}

/** A text that is not the CAIP identifier it should be. The message says expected and got, and may be shown to clients. */
export class InvalidCaipError extends BaseError {
  readonly code = 'invalid_caip';
  readonly retryable = false;
  declare readonly publicMessage: string;
  constructor(expected: string, got: unknown) {
    const message = `expected ${expected}, got ${showValue(got)}`;
    super(message, { publicMessage: message });
  }
}

/** Clients send anything: a longer text would make the error a means to fill logs. */
const SHOWN_CHARACTERS_MAX = 80;

function showValue(value: unknown): string {
  if (typeof value !== 'string')
    return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  if (value.length <= SHOWN_CHARACTERS_MAX) return JSON.stringify(value);
  return `${JSON.stringify(value.slice(0, SHOWN_CHARACTERS_MAX))}… (${value.length} characters)`;
}
