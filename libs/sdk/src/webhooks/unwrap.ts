// SPDX-License-Identifier: Apache-2.0
import { webcrypto } from '#webcrypto';
import { SignatureError } from '../errors.ts';
import type { ChainwatchEvent } from '../event-types.ts';

/** Of the Fetch API, or as Node and its frameworks give them. */
export type HeadersLike =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface UnwrapOptions {
  /** How far the signature's time may be from now, in either direction; default 300. */
  readonly toleranceSeconds?: number;
  /** Unix seconds; default the clock. */
  readonly now?: number;
}

const TOLERANCE_SECONDS = 300;

/**
 * The event of a webhook delivery, once its signature has been verified. An event that the channel sends as CloudEvents has
 * the members of any other; of a channel with `fields`, `data` has those alone.
 *
 * @param rawBody the bytes as they arrived, or their text; parsed JSON has other bytes
 * @param secrets the channel's secret; during a rotation the old and the new one
 * @throws SignatureError answer 400; TypeError when the secrets or options are unusable: a mistake of yours
 *
 * @example
 * const event = await webhooks.unwrap(await request.text(), request.headers, process.env.CHAINWATCH_WEBHOOK_SECRET);
 * if (event.type === 'transaction.confirmed') await credit(event.event_id, event.data.transaction);
 */
export async function unwrap(
  rawBody: string | Uint8Array,
  headers: HeadersLike,
  secrets: string | readonly string[] | undefined,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() / 1_000 }: UnwrapOptions = {},
): Promise<ChainwatchEvent> {
  const keys = [secrets ?? []].flat();
  if (keys.length === 0 || keys.some((key) => typeof key !== 'string' || key === ''))
    throw new TypeError('expected the secret of the channel, got none or an empty one');
  if (!Number.isFinite(now) || !(toleranceSeconds >= 0))
    throw new TypeError('expected now in Unix seconds and a tolerance of zero or more seconds');
  const body = toBytes(rawBody);
  const header = readHeader(headers, 'x-webhook-signature');
  await verifySignature({ header, body, secrets: keys, now, toleranceSeconds });
  try {
    return fromCloudEvent(JSON.parse(new TextDecoder().decode(body))) as ChainwatchEvent;
  } catch {
    throw new SignatureError('malformed_event');
  }
}

function toBytes(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return new Uint8Array(rawBody);
  throw new SignatureError('body_not_raw');
}

function readHeader(headers: HeadersLike, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? '';
  const found = Object.entries(headers as Readonly<Record<string, unknown>>).find(
    ([key]) => key.toLowerCase() === name,
  );
  return [found?.[1] ?? []].flat().join(',');
}

interface CloudEvent {
  readonly specversion: string;
  readonly id: unknown;
  readonly type: unknown;
  readonly time?: unknown;
  readonly apiversion?: unknown;
  readonly projectid?: unknown;
  readonly istestmessage?: unknown;
  readonly chainsequence?: unknown;
  readonly ishistorical?: unknown;
  readonly data?: unknown;
}

/** An event as the API writes it, also of a channel with `format: "cloudevents"`. */
function fromCloudEvent(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('specversion' in body)) return body;
  const event = body as CloudEvent;
  return {
    event_id: event.id,
    type: event.type,
    api_version: event.apiversion,
    created_at: event.time,
    is_test_message: event.istestmessage,
    project_id: event.projectid,
    sequence: typeof event.chainsequence === 'string' ? Number(event.chainsequence) : null,
    ...(event.ishistorical === true && { is_historical: true }),
    data: event.data,
  };
}

interface VerifyOptions {
  /** Value of `X-Webhook-Signature`. */
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly secrets: readonly string[];
  /** Unix seconds. */
  readonly now: number;
  readonly toleranceSeconds: number;
}

/** @throws SignatureError unless one of the secrets signed the body just now */
export async function verifySignature(options: VerifyOptions): Promise<void> {
  const { header, body, secrets, now, toleranceSeconds } = options;
  if (header === '') throw new SignatureError('missing_header');
  const parsed = parseSignature(header);
  if (parsed === undefined) throw new SignatureError('malformed_header');
  if (parsed.v1.length === 0) throw new SignatureError('no_known_version');
  const prefix = new TextEncoder().encode(`${parsed.t}.`);
  const payload = new Uint8Array(prefix.length + body.length);
  payload.set(prefix);
  payload.set(body, prefix.length);
  let isMatch = false;
  // Every entry with every secret, stopping nowhere: the time tells nothing about what matched.
  for (const secret of secrets) {
    const key = await importKey(secret);
    for (const hex of parsed.v1)
      isMatch = (await webcrypto.subtle.verify('HMAC', key, hexToBytes(hex), payload)) || isMatch;
  }
  if (!isMatch) throw new SignatureError('signature_mismatch');
  if (Math.abs(now - Number(parsed.t)) > toleranceSeconds)
    throw new SignatureError('timestamp_outside_tolerance');
}

/** The whole secret, prefix included, as UTF-8. */
function importKey(secret: string) {
  const bytes = new TextEncoder().encode(secret);
  return webcrypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** What is not lower-case hex of 32 bytes matches nothing, and does not spoil the entries beside it. */
function hexToBytes(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^[0-9a-f]{64}$/.test(hex)) return new Uint8Array();
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

interface ParsedSignature {
  /** The digits of `t` as they stand in the header: they are what is signed. */
  readonly t: string;
  /** Values of all `v1=` entries, whatever they hold. */
  readonly v1: readonly string[];
}

/** Bounds the work that a stranger can cause. */
const HEADER_LENGTH_MAX = 4_096;

/**
 * Reads `t=<digits>,v1=<hex>[,v1=<hex>…]`; undefined when the header is malformed. Entries of other versions are
 * ignored. It is written a second time beside `@chainwatch/webhook-signature`, which needs Node; the same vectors hold both.
 */
function parseSignature(header: string): ParsedSignature | undefined {
  if (header.length > HEADER_LENGTH_MAX) return undefined;
  const entries = header.split(',').map((text) => {
    const entry = text.replace(/^[ \t]+|[ \t]+$/g, '');
    const equals = entry.indexOf('=');
    return [entry.slice(0, Math.max(equals, 0)), entry.slice(equals + 1)] as const;
  });
  if (entries.some(([key]) => key === '')) return undefined;
  const valuesOf = (name: string): string[] =>
    entries.filter(([key]) => key === name).map(([, value]) => value);
  const [t, ...otherT] = valuesOf('t');
  if (t === undefined || otherT.length > 0 || !/^(?:0|[1-9]\d{0,11})$/.test(t)) return undefined;
  return { t, v1: valuesOf('v1') };
}
