// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';

export interface SignPayloadOptions {
  /** The channel's current secret, and the previous one while a rotation overlap runs. Never more than two. */
  readonly secrets: readonly [current: string, previous?: string];
  /** Unix seconds. */
  readonly timestamp: number;
  /** The bytes that are sent; a string is sent as UTF-8. */
  readonly body: Uint8Array | string;
}

/**
 * Value of the `X-Webhook-Signature` header: `t=<unix seconds>,v1=<hex>`, with a second `v1=` for a previous secret.
 *
 * @throws TypeError when there is no secret, an empty one, more than two, or `timestamp` is not whole Unix seconds
 */
export function signPayload({ secrets, timestamp, body }: SignPayloadOptions): string {
  const keys = secrets.filter((secret) => secret !== undefined);
  if (keys.length < 1 || keys.length > 2)
    throw new TypeError(`expected one or two secrets, got ${keys.length}`);
  if (keys.includes('')) throw new TypeError('expected secrets that are not empty, got an empty one');
  if (!Number.isSafeInteger(timestamp) || timestamp < 0 || timestamp > TIMESTAMP_MAX) {
    throw new TypeError(`expected a timestamp in whole Unix seconds, got ${timestamp}`);
  }
  const t = String(timestamp);
  return [`t=${t}`, ...keys.map((secret) => `v1=${computeSignature(secret, t, body).toString('hex')}`)].join(
    ',',
  );
}

/** Twelve digits, the most that the verifier takes. Milliseconds (thirteen digits today) are a mistake. */
const TIMESTAMP_MAX = 999_999_999_999;

/**
 * HMAC-SHA256 over `<t>.<body bytes>`, keyed with the whole secret string, prefix included, as UTF-8. `t` is the text
 * that stands in the header.
 */
export function computeSignature(secret: string, t: string, body: Uint8Array | string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(`${t}.`, 'utf8').update(body).digest();
}

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
