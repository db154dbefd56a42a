// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import type { SignPayloadOptions } from './sign-payload.ts';

export interface SignStandardWebhookOptions extends SignPayloadOptions {
  /** The event id: the same in every attempt. */
  readonly id: string;
}

/**
 * Headers of the Standard Webhooks specification (https://www.standardwebhooks.com), symmetric signatures: `v1,<base64>` of
 * HMAC-SHA256 over `<id>.<timestamp>.<body>`, one for each secret. The key is the whole secret as UTF-8, what their
 * libraries call a raw secret.
 */
export function signStandardWebhook({
  secrets,
  id,
  timestamp,
  body,
}: SignStandardWebhookOptions): Readonly<
  Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
> {
  const sign = (secret: string): string =>
    createHmac('sha256', Buffer.from(secret, 'utf8'))
      .update(`${id}.${timestamp}.`, 'utf8')
      .update(body)
      .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .filter((secret) => secret !== undefined)
      .map((secret) => `v1,${sign(secret)}`)
      .join(' '),
  };
}
