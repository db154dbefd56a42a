// SPDX-License-Identifier: Apache-2.0
import { SignatureError } from '../errors.ts';
import type { ChainwatchEvent } from '../event-types.ts';
import { unwrap, type HeadersLike } from '../webhooks/unwrap.ts';

export interface ReceiverOptions {
  /** The channel's secret; during a rotation the old and the new one. A function is asked for each delivery. */
  readonly secrets: string | readonly string[] | undefined | (() => string | readonly string[] | undefined);
  /**
   * Has to be over within 10 seconds. It is called at least once for an event: store `event_id` with the effect. When it
   * throws, the delivery is tried again.
   */
  readonly handle: (event: ChainwatchEvent) => unknown;
  /** Told of what `handle` threw, and of refused deliveries; default nobody. */
  readonly onError?: (error: unknown) => void;
}

/** What to answer: 204 taken, 400 refused, 500 to be tried again. */
export async function receiveWebhook(
  rawBody: string | Uint8Array,
  headers: HeadersLike,
  { secrets, handle, onError }: ReceiverOptions,
): Promise<{ readonly status: 204 | 400 | 500; readonly text: string }> {
  try {
    await handle(await unwrap(rawBody, headers, typeof secrets === 'function' ? secrets() : secrets));
    return { status: 204, text: '' };
  } catch (error) {
    onError?.(error);
    return error instanceof SignatureError ? { status: 400, text: error.reason } : { status: 500, text: '' };
  }
}

/** The same for the Fetch API: Next.js, Hono, Remix, SvelteKit, Cloudflare Workers, Deno, Bun. */
export async function receiveRequest(request: Request, options: ReceiverOptions): Promise<Response> {
  const body = new Uint8Array(await request.arrayBuffer());
  const { status, text } = await receiveWebhook(body, request.headers, options);
  return new Response(text === '' ? null : text, { status });
}
