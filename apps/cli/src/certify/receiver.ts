// SPDX-License-Identifier: Apache-2.0
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { SignPayloadOptions } from '@chainwatch/webhook-signature';
import { signDelivery } from '../sign-delivery.ts';
import type { Event } from './payments.ts';

/** What a receiver answered, or why there is no answer. */
export type Answer =
  | { readonly status: number; readonly error?: undefined }
  | { readonly status?: undefined; readonly error: string };

export interface DeliverOptions {
  /** Default: the secret of the receiver. */
  readonly secrets?: SignPayloadOptions['secrets'];
  /** Of the signature, seconds since 1970. Default: now */
  readonly timestamp?: number;
  /** Instead of what was signed. */
  readonly body?: string;
  readonly isUnsigned?: boolean;
  /** The body comes in pieces, with pauses. */
  readonly isSlow?: boolean;
  /** The connection is cut when the body is sent: nobody reads the answer. */
  readonly isCut?: boolean;
}

/** Of a webhook channel: a receiver that takes longer gets the delivery again. */
const ANSWER_MS_MAX = 10_000;
const PIECES = 5;
const PAUSE_MS = 500;
/** So that the receiver has read the body, and is at work. */
const CUT_AFTER_MS = 100;

/** A webhook receiver, to which deliveries are sent as the notifier sends them. */
export class Receiver {
  readonly #url: URL;
  readonly secret: string;
  readonly #signal: AbortSignal;

  constructor(url: string, secret: string, signal: AbortSignal) {
    this.#url = new URL(url);
    this.secret = secret;
    this.#signal = signal;
  }

  async deliver(event: Event, options: DeliverOptions = {}): Promise<Answer> {
    const { secrets = [this.secret], timestamp, isUnsigned = false } = options;
    const signed = JSON.stringify(event);
    const { 'x-webhook-signature': signature, ...headers } = signDelivery(event, {
      ...{ body: signed, secrets, timestamp },
    });
    const body = Buffer.from(options.body ?? signed);
    const sent = { ...headers, ...(!isUnsigned && { 'x-webhook-signature': signature }) };
    try {
      return await this.#post(body, { ...sent, 'content-length': String(body.length) }, options);
    } catch (error) {
      this.#signal.throwIfAborted();
      const { name, message } = error as Error;
      return { error: name === 'TimeoutError' ? `no answer in ${ANSWER_MS_MAX / 1_000} s` : message };
    }
  }

  async #post(
    body: Buffer,
    headers: Readonly<Record<string, string>>,
    { isSlow = false, isCut = false }: DeliverOptions,
  ): Promise<Answer> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
    const open: (url: URL, options: RequestOptions) => ReturnType<typeof requestHttp> =
      this.#url.protocol === 'https:' ? requestHttps : requestHttp;
    const req = open(this.#url, { method: 'POST', headers, signal, agent: false });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      req.on('response', resolve).on('error', reject);
    });
    answered.catch(() => undefined);
    const size = isSlow ? Math.ceil(body.length / PIECES) : body.length;
    for (let at = 0; at < body.length; at += size) {
      if (at > 0) await wait(PAUSE_MS, undefined, { signal });
      req.write(body.subarray(at, at + size));
    }
    req.end();
    if (isCut) {
      await Promise.race([answered, wait(CUT_AFTER_MS)]);
      req.destroy();
      return { error: 'cut' };
    }
    const response = await answered;
    await text(response);
    return { status: response.statusCode ?? 0 };
  }
}

/** Why it is wrong; undefined: 2xx. */
export function notTaken({ status, error }: Answer): string | undefined {
  if (status !== undefined && status >= 200 && status < 300) return undefined;
  return `expected 2xx, got ${status ?? error}`;
}

/** Why it is wrong; undefined: 4xx. */
export function notRefused({ status, error }: Answer): string | undefined {
  if (status !== undefined && status >= 400 && status < 500) return undefined;
  return `expected 4xx, got ${status ?? error}`;
}
