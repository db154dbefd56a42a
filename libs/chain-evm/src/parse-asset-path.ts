import { InvalidAddressError, InvalidAssetError } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import { parseAddress } from './parse-address.ts';

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: `slip44:60`, `erc20:0x…`; on BSC `erc20:` means `bep20:`.
 * @throws InvalidAssetError
 */
export function parseAssetPath(network: Network, assetPath: string): string {
  const separator = assetPath.indexOf(':');
  const namespace = assetPath.slice(0, Math.max(separator, 0)).toLowerCase();
  const reference = assetPath.slice(separator + 1);
  if (namespace === 'slip44') return parseNative(network, reference);
  if (namespace === 'erc20' || namespace === network.tokenNamespace) return parseToken(network, reference);
  throw new InvalidAssetError(
    `asset is not one of ${network.gid}: expected slip44:<coin> or ${network.tokenNamespace}:<address>, got ${quote(assetPath)}`,
  );
}

function parseNative(network: Network, reference: string): string {
  const { native } = network;
  const gid = `${network.gid}/slip44:${reference}`;
  if (gid === native.gid || native.aliases?.includes(gid)) return native.gid;
  const expected = native.gid.slice(network.gid.length + 1);
  throw new InvalidAssetError(`native asset of ${network.gid}: expected ${expected}, got ${quote(`slip44:${reference}`)}`);
}

function parseToken(network: Network, reference: string): string {
  try {
    return `${network.gid}/${network.tokenNamespace}:${parseAddress(reference).canonical}`;
  } catch (error) {
    if (!(error instanceof InvalidAddressError)) throw error;
    throw new InvalidAssetError(`token reference: ${error.message}`, { cause: error, publicMessage: error.publicMessage });
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
