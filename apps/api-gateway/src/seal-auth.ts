import type { Sealer } from '@chainwatch/secrets';
import type { WebhookAuth } from './records/webhook-config.ts';

/** `{"auth": {…}}` sealed for the channel; null when there is nothing to hide. */
export function sealAuth(sealer: Sealer, channelId: string, auth: WebhookAuth): string | null {
  return auth.type === 'none' ? null : sealer.seal(JSON.stringify({ auth }), `channel:${channelId}`);
}
