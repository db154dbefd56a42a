// SPDX-License-Identifier: Apache-2.0
import { receiveRequest, type ReceiverOptions } from './receive-webhook.ts';

/**
 * A route handler of the App Router, and of everything else that answers a `Request` with a `Response`.
 *
 * @example
 * // app/webhooks/chainwatch/route.ts
 * export const POST = chainwatchWebhook({ secrets: process.env.CHAINWATCH_WEBHOOK_SECRET, handle });
 */
export function chainwatchWebhook(options: ReceiverOptions) {
  return (request: Request): Promise<Response> => receiveRequest(request, options);
}
