// SPDX-License-Identifier: Apache-2.0
import { receiveWebhook, type ReceiverOptions } from './receive-webhook.ts';

interface Req extends AsyncIterable<Uint8Array> {
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}
interface Res {
  statusCode: number;
  end(text: string): unknown;
}

/** The largest event is far below. */
const BODY_BYTES_MAX = 1_048_576;

/**
 * It reads the body itself: put it in front of `express.json()`, or behind `express.raw()`. A bare `node:http` server
 * takes it too.
 *
 * @example
 * app.post('/webhooks/chainwatch', chainwatchWebhook({ secrets: process.env.CHAINWATCH_WEBHOOK_SECRET, handle }));
 */
export function chainwatchWebhook(options: ReceiverOptions) {
  return (req: Req, res: Res): void => {
    // A sender that goes away meanwhile gets no answer, and ends nobody's process.
    void answer(req, res, options).catch((error: unknown) => options.onError?.(error));
  };
}

async function answer(req: Req, res: Res, options: ReceiverOptions): Promise<void> {
  const body = req.body === undefined ? await readBody(req) : req.body;
  const { status, text } =
    body === undefined
      ? { status: 413, text: 'content_too_large' }
      : await receiveWebhook(body as Uint8Array, req.headers, options);
  res.statusCode = status;
  res.end(text);
}

async function readBody(req: Req): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of req) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  for (let offset = 0; chunks.length > 0; ) {
    const chunk = chunks.shift() ?? body;
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}
