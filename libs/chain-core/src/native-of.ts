// SPDX-License-Identifier: Apache-2.0
import type { NativeAsset, Network } from './network.ts';

/** The coin of a network whose family knows none without. */
export function nativeOf({ gid, native }: Network): NativeAsset {
  if (native === undefined) throw new Error(`${gid} has no native coin`);
  return native;
}
