import type { Sealer } from '@chainwatch/secrets';

/** What may not be shown of a channel, sealed for it; null when there is nothing to hide. */
export function sealCredentials(
  sealer: Sealer,
  channelId: string,
  credentials: object | null,
): string | null {
  return credentials === null ? null : sealer.seal(JSON.stringify(credentials), `channel:${channelId}`);
}
