// SPDX-License-Identifier: Apache-2.0
import type { Sealer } from '@chainwatch/platform/secrets';

/** The confidential part of a channel, sealed for that channel; null if there is none. */
export function sealCredentials(
  sealer: Sealer,
  channelId: string,
  credentials: object | null,
): string | null {
  return credentials === null ? null : sealer.seal(JSON.stringify(credentials), `channel:${channelId}`);
}

export function openCredentials(sealer: Sealer, channelId: string, sealed: string | null): unknown {
  return sealed === null ? {} : JSON.parse(sealer.open(sealed, `channel:${channelId}`));
}
