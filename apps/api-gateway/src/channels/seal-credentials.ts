import type { Sealer } from '@chainwatch/secrets';

/** What may not be shown of a channel, sealed for it; null when there is nothing to hide. */
export function sealCredentials(
  sealer: Sealer,
  channelId: string,
  credentials: { readonly auth?: { readonly type: string }; readonly bot_token?: string },
): string | null {
  if (credentials.auth?.type === 'none') return null;
  return sealer.seal(JSON.stringify(credentials), `channel:${channelId}`);
}
