import { InvalidAssetError } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: the native coin is all there is.
 * @throws InvalidAssetError
 */
export function parseAssetPath({ gid, native }: Network, assetPath: string): string {
  const wanted = `${gid}/${assetPath.toLowerCase()}`;
  if (wanted === native.gid || native.aliases?.includes(wanted) === true) return native.gid;
  const got = assetPath.length > 80 ? `${assetPath.slice(0, 80)}…` : assetPath;
  throw new InvalidAssetError(`asset is not one of ${gid}: expected ${native.gid.slice(gid.length + 1)}, got ${JSON.stringify(got)}`);
}
