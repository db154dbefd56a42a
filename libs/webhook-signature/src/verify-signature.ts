// SPDX-License-Identifier: Apache-2.0
import { timingSafeEqual } from 'node:crypto';
import { computeSignature } from './sign-payload.ts';

export interface VerifySignatureOptions {
  /** Value of `X-Webhook-Signature` as the framework gives it. Several headers count as one joined by commas. */
  readonly header: string | readonly string[] | null | undefined;
  /** The body as it arrived, before any JSON parsing. A string stands for its UTF-8 bytes. */
  readonly body: Uint8Array | string;
  /** The channel's secret; during a rotation the new and the old one. Either this or `secrets`. */
  readonly secret?: string;
  readonly secrets?: readonly string[];
  /** Unix seconds; the clock's by default. */
  readonly now?: number;
  /** How far `t` may be from `now`, in seconds, in either direction; exactly this far is accepted. */
  readonly toleranceSeconds?: number;
}

export type SignatureRefusal =
  /** The request has no signature header, or an empty one. */
  | 'missing_header'
  /** The header is not of the form `t=…,v1=…`. */
  | 'malformed_header'
  /** The header holds no signature of a version that this library knows. */
  | 'no_known_version'
  /** `body` is something else than bytes or text: it was parsed before it was verified. */
  | 'body_not_raw'
  /** No `v1=` matches any secret: another secret, or the body was changed. */
  | 'signature_mismatch'
  /** The signature is right, but `t` is too old or too far ahead: a replay, or a wrong clock. */
  | 'timestamp_outside_tolerance';

export type SignatureVerdict =
  | { readonly ok: true /** Unix seconds. */; readonly timestamp: number }
  | { readonly ok: false; readonly reason: SignatureRefusal };

/**
 * Whether a delivery was signed with one of the secrets, recently. Nothing that a sender can put into a request makes
 * it throw.
 *
 * @throws TypeError when the receiver's own settings are wrong: no secret, an empty one, a tolerance or clock that is no number
 */
export function verifySignature(options: VerifySignatureOptions): SignatureVerdict {
  const secrets = requireSecrets(options);
  const { now, toleranceSeconds } = requireClock(options);
  const header = joinHeader(options.header);
  if (header === '') return refuse('missing_header');
  const parsed = parseSignatureHeader(header);
  if (parsed === undefined) return refuse('malformed_header');
  if (parsed.v1.length === 0) return refuse('no_known_version');
  if (typeof options.body !== 'string' && !(options.body instanceof Uint8Array))
    return refuse('body_not_raw');
  const expected = secrets.map((secret) => computeSignature(secret, parsed.t, options.body));
  if (!matchesAny(parsed.v1, expected)) return refuse('signature_mismatch');
  const timestamp = Number(parsed.t);
  if (Math.abs(now - timestamp) > toleranceSeconds) return refuse('timestamp_outside_tolerance');
  return { ok: true, timestamp };
}

/** Compares every entry with every secret and stops nowhere: the time tells nothing about what matched, or how far. */
function matchesAny(candidates: readonly string[], expected: readonly Uint8Array[]): boolean {
  let isMatch = false;
  for (const candidate of candidates) {
    // Lower-case hex of 32 bytes; what is anything else cannot match, and does not spoil the entries beside it.
    if (!/^[0-9a-f]{64}$/.test(candidate)) continue;
    const bytes = Buffer.from(candidate, 'hex');
    for (const signature of expected) isMatch = timingSafeEqual(bytes, signature) || isMatch;
  }
  return isMatch;
}

/** An empty secret would let anybody sign. */
function requireSecrets({ secret, secrets }: VerifySignatureOptions): readonly string[] {
  const all = [...(secret === undefined ? [] : [secret]), ...(secrets ?? [])];
  if (all.length === 0) throw new TypeError('expected a secret, got none');
  if (all.some((each) => typeof each !== 'string' || each === '')) {
    throw new TypeError('expected secrets that are text and not empty');
  }
  return all;
}

/** Comparing with NaN would accept every timestamp. */
function requireClock({ now = Date.now() / 1000, toleranceSeconds = 300 }: VerifySignatureOptions) {
  if (!Number.isFinite(now)) throw new TypeError(`expected now in Unix seconds, got ${now}`);
  if (!(toleranceSeconds >= 0))
    throw new TypeError(`expected a tolerance of zero or more seconds, got ${toleranceSeconds}`);
  return { now, toleranceSeconds };
}

function joinHeader(header: VerifySignatureOptions['header']): string {
  if (typeof header === 'string') return header;
  return Array.isArray(header) ? header.join(',') : '';
}

function refuse(reason: SignatureRefusal): SignatureVerdict {
  return { ok: false, reason };
}

interface SignatureHeader {
  /** The digits of `t` as they stand in the header: they are what is signed. */
  readonly t: string;
  /** Values of all `v1=` entries, whatever they hold. */
  readonly v1: readonly string[];
}

/** Room for dozens of entries of later versions; bounds the work that a stranger can cause. */
const HEADER_LENGTH_MAX = 4096;

/**
 * Reads `t=<digits>,v1=<hex>[,v1=<hex>…]`; undefined when the header is malformed.
 *
 * - Entries are `key=value`, divided by commas; spaces and tabs around an entry are ignored, inside one they are not.
 * - Keys are case-sensitive. Exactly one `t`, of 1 to 12 digits without leading zeros, anywhere in the header.
 * - Entries with any other key (`v2=`, later versions) are ignored.
 * - An entry without `=`, with an empty key, or nothing between two commas, is malformed.
 */
function parseSignatureHeader(header: string): SignatureHeader | undefined {
  if (header.length > HEADER_LENGTH_MAX) return undefined;
  const entries = header.split(',').map(parseEntry);
  if (!entries.every((entry) => entry !== undefined)) return undefined;
  const [t, ...otherT] = valuesOf(entries, 't');
  if (t === undefined || otherT.length > 0 || !/^(?:0|[1-9]\d{0,11})$/.test(t)) return undefined;
  return { t, v1: valuesOf(entries, 'v1') };
}

type Entry = readonly [key: string, value: string];

function parseEntry(text: string): Entry | undefined {
  const trimmed = text.replace(/^[ \t]+|[ \t]+$/g, '');
  const equals = trimmed.indexOf('=');
  return equals < 1 ? undefined : [trimmed.slice(0, equals), trimmed.slice(equals + 1)];
}

function valuesOf(entries: readonly Entry[], key: string): string[] {
  return entries.filter(([name]) => name === key).map(([, value]) => value);
}
