// SPDX-License-Identifier: Apache-2.0
import { joinAssetGid, type AssetGid } from '@chainwatch/common/caip';
import { InvalidAddressError, InvalidAssetError } from './errors.ts';
import type { Network, NativeAsset } from './network.ts';
import type { TokenMetadata } from './chain-family.ts';

/** The coin of a network whose family knows none without. */
export function nativeOf({ gid, native }: Network): NativeAsset {
  if (native === undefined) throw new Error(`${gid} has no native coin`);
  return native;
}

/** One kind of tokens of a family. */
export interface TokenKind {
  /** As it stands in the canonical gid. */
  readonly namespace: string;
  /** Other spellings of the namespace accepted on input. */
  readonly aliases?: readonly string[];
  /** What references are, for messages: `address`. */
  readonly reference: string;
  /** Canonical reference. @throws InvalidAddressError */
  parse(reference: string): string;
}

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: its native coin or a token of one of `kinds`.
 * @throws InvalidAssetError
 */
export function resolveAssetPath(network: Network, assetPath: string, kinds: readonly TokenKind[]): AssetGid {
  const separator = assetPath.indexOf(':');
  const namespace = assetPath.slice(0, Math.max(separator, 0)).toLowerCase();
  const reference = assetPath.slice(separator + 1);
  if (namespace === 'slip44') return resolveNative(network, reference);
  const kind = kinds.find((one) => one.namespace === namespace || one.aliases?.includes(namespace));
  if (kind) return joinAssetGid(network.gid, `${kind.namespace}:${resolveReference(kind, reference)}`);
  const coin = network.native === undefined ? [] : ['slip44:<coin>'];
  const expected = [...coin, ...kinds.map((one) => `${one.namespace}:<${one.reference}>`)].join(' or ');
  throw new InvalidAssetError(
    `asset is not one of ${network.gid}: expected ${expected}, got ${quote(assetPath)}`,
  );
}

function resolveNative(network: Network, reference: string): AssetGid {
  const { native } = network;
  if (native === undefined)
    throw new InvalidAssetError(
      `${network.gid} has no native coin: expected a token, got ${quote(`slip44:${reference}`)}`,
    );
  const gid = `${network.gid}/slip44:${reference}`;
  if (gid === native.gid || native.aliases?.includes(gid)) return native.gid;
  const expected = native.gid.slice(network.gid.length + 1);
  throw new InvalidAssetError(
    `native asset of ${network.gid}: expected ${expected}, got ${quote(`slip44:${reference}`)}`,
  );
}

function resolveReference(kind: TokenKind, reference: string): string {
  try {
    return kind.parse(reference);
  } catch (error) {
    if (!(error instanceof InvalidAddressError)) throw error;
    throw new InvalidAssetError(`token reference: ${error.message}`, {
      cause: error,
      publicMessage: `token reference: ${error.publicMessage}`,
    });
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** What the network's document says of old tokens; the chain is asked for the others alone. In the order of `assetGids`. */
export async function readRegistered(
  { tokens = [] }: Pick<Network, 'tokens'>,
  assetGids: readonly string[],
  read: (others: readonly string[]) => Promise<(TokenMetadata | undefined)[]>,
): Promise<(TokenMetadata | undefined)[]> {
  const registered = new Map(tokens.map((token) => [token.gid as string, token]));
  const others = assetGids.filter((gid) => !registered.has(gid));
  const found = others.length === 0 ? [] : await read(others);
  const foundOf = new Map(others.map((gid, index) => [gid, found[index]]));
  return assetGids.map((gid) => {
    const token = registered.get(gid);
    if (token === undefined) return foundOf.get(gid);
    const { name, symbol, decimals, type } = token;
    return type === 'nft'
      ? { name, symbol, decimals: undefined, isNft: true as const }
      : { name, symbol, decimals };
  });
}
