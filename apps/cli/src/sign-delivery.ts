// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { signPayload, type SignPayloadOptions } from '@chainwatch/webhook-signature';

/**
 * Headers of a delivery, as a webhook channel sends them.
 * @param timestamp of the signature, seconds since 1970; default: now
 */
export function signDelivery(
  event: { readonly type: string; readonly event_id: string },
  {
    body,
    secrets,
    timestamp = Math.floor(Date.now() / 1_000),
  }: { readonly body: string; readonly secrets: SignPayloadOptions['secrets']; readonly timestamp?: number },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-webhook-event': event.type,
    'x-webhook-event-id': event.event_id,
    'x-webhook-delivery-id': randomUUID(),
    'x-webhook-signature': signPayload({ secrets, timestamp, body }),
  };
}
