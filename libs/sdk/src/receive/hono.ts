// SPDX-License-Identifier: Apache-2.0
import { receiveRequest, type ReceiverOptions } from './receive-webhook.ts';

/**
 * @example
 * app.post('/webhooks/chainwatch', chainwatchWebhook({ secrets: process.env.CHAINWATCH_WEBHOOK_SECRET, handle }));
 */
export function chainwatchWebhook(options: ReceiverOptions) {
  return (context: { readonly req: { readonly raw: Request } }): Promise<Response> =>
    receiveRequest(context.req.raw, options);
}
