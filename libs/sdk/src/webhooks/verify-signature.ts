// SPDX-License-Identifier: Apache-2.0
import { SignatureError } from '../errors.ts';
import { webcrypto } from '#webcrypto';

export interface VerifyOptions {
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
      isMatch = (await webcrypto.subtle.verify('HMAC', key, toBytes(hex), payload)) || isMatch;
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
function toBytes(hex: string): Uint8Array<ArrayBuffer> {
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
