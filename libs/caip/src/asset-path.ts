import type { z } from 'zod';
import { InvalidCaipError } from './invalid-caip-error.ts';
import { ASSET_PATH_PATTERN, ASSET_REFERENCE_PATTERN, NAMESPACE_PATTERN } from './patterns.ts';

/** A checked `<asset_namespace>:<asset_reference>`, `slip44:60`: an asset within its chain, and a path parameter. */
export type AssetPath = string & z.core.$brand<'AssetPath'>;

export interface AssetPathParts {
  /** `erc20` */
  readonly namespace: string;
  readonly reference: string;
}

export const ASSET_PATH_EXPECTED = 'an asset path such as "slip44:60" or "erc20:0x…"';

/** @throws InvalidCaipError */
export function parseAssetPath(text: string): AssetPath {
  if (!isAssetPath(text)) throw new InvalidCaipError(ASSET_PATH_EXPECTED, text);
  return text;
}

export function isAssetPath(value: unknown): value is AssetPath {
  return typeof value === 'string' && ASSET_PATH_PATTERN.test(value);
}

/** @throws InvalidCaipError when `text` is not an asset path */
export function splitAssetPath(text: string): AssetPathParts {
  const path = parseAssetPath(text);
  const colon = path.indexOf(':');
  return { namespace: path.slice(0, colon), reference: path.slice(colon + 1) };
}

/** @throws InvalidCaipError naming the part that does not fit */
export function formatAssetPath({ namespace, reference }: AssetPathParts): AssetPath {
  if (!NAMESPACE_PATTERN.test(namespace)) {
    throw new InvalidCaipError('an asset namespace of 3 to 8 lower-case letters and digits', namespace);
  }
  if (!ASSET_REFERENCE_PATTERN.test(reference)) {
    throw new InvalidCaipError('an asset reference of 1 to 128 letters, digits, "-", "." and "%"', reference);
  }
  return parseAssetPath(`${namespace}:${reference}`);
}
