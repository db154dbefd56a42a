// SPDX-License-Identifier: Apache-2.0
import { createHash, timingSafeEqual } from 'node:crypto';
import { BaseError } from '../problem/index.ts';

/** `api`: platform API of one project; `rpc`: RPC gateway; `mgt`: management interface, both of a workspace. */
export const API_KEY_TYPES = ['api', 'rpc', 'mgt'] as const;
export type ApiKeyType = (typeof API_KEY_TYPES)[number];

const API_KEY_RANDOM_LENGTH = 24;
const API_KEY_CHECK_LENGTH = 6;

/** A new key, `<label>_<type>_<24 random><6 check>`. Shown once, stored as `hashApiKey` only. */
export function generateApiKey(options: {
  label: string;
  type: ApiKeyType;
  randomBytes: RandomBytes;
}): string {
  const random = randomBase62(API_KEY_RANDOM_LENGTH, options.randomBytes);
  return apiKeyPrefix(options.label, options.type) + random + checksumOf(random);
}

/** `svc_api_` @throws InvalidNamespaceLabelError */
export function apiKeyPrefix(label: string, type: ApiKeyType): string {
  checkNamespaceLabel(label);
  return `${label}_${type}_`;
}

/** Characters of a key under `label`: 38 for `svc`, 40 for a label of five letters. */
export function apiKeyLength(label: string): number {
  return apiKeyPrefix(label, 'api').length + API_KEY_RANDOM_LENGTH + API_KEY_CHECK_LENGTH;
}

/** CRC-32/IEEE over the random characters only, in base62. */
export function checksumOf(random: string): string {
  return encodeBase62(crc32(random), API_KEY_CHECK_LENGTH);
}

/** CRC-32/IEEE (reflected, polynomial 0xEDB88320) of ASCII text, unsigned. The spec compares it with zlib. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc = (crc >>> 8) ^ (TABLE[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export type ApiKeyRefusal =
  | 'not_text'
  | 'wrong_prefix'
  | 'wrong_length'
  | 'wrong_alphabet'
  | 'wrong_checksum';

export type ParsedApiKey =
  | { readonly ok: true; readonly type: ApiKeyType; readonly key: string }
  | { readonly ok: false; readonly reason: ApiKeyRefusal };

/**
 * Whether a header's value has the form of a key, checksum included, before any look-up. Never throws on what a
 * client sends. A key that passes may still be unknown, revoked or expired.
 *
 * @throws InvalidNamespaceLabelError when `label`, which is configuration, is not one
 */
export function parseApiKey(value: unknown, label: string): ParsedApiKey {
  const length = apiKeyLength(label);
  if (typeof value !== 'string') return refuse('not_text');
  const type = API_KEY_TYPES.find((candidate) => value.startsWith(apiKeyPrefix(label, candidate)));
  if (type === undefined) return refuse('wrong_prefix');
  if (value.length !== length) return refuse('wrong_length');
  const body = value.slice(apiKeyPrefix(label, type).length);
  if (!/^[0-9A-Za-z]+$/.test(body)) return refuse('wrong_alphabet');
  const random = body.slice(0, -API_KEY_CHECK_LENGTH);
  if (checksumOf(random) !== body.slice(-API_KEY_CHECK_LENGTH)) return refuse('wrong_checksum');
  return { ok: true, type, key: value };
}

function refuse(reason: ApiKeyRefusal): ParsedApiKey {
  return { ok: false, reason };
}

/** SHA-256 of the whole key: the 32 bytes that are stored. 143 random bits need no salt and no slow hash. */
export function hashApiKey(key: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(key, 'utf8').digest());
}

/** Whether two hashes are equal, in time that does not depend on where they differ. */
export function compareHash(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

const SHOWN_LENGTH = 4;
const MASK = '****';

/** `svc_api_****bPlI`: enough to tell keys apart in a list or a log. What is not a key's form shows nothing of itself. */
export function maskApiKey(key: unknown): string {
  return mask(key, /^([a-z][a-z0-9]{1,9}_(?:api|rpc|mgt)_)[0-9A-Za-z]{30}$/);
}

/** `svc_whsec_****QRST` */
export function maskWebhookSecret(secret: unknown): string {
  return mask(secret, /^([a-z][a-z0-9]{1,9}_whsec_)[0-9A-Za-z]{30}$/);
}

function mask(value: unknown, pattern: RegExp): string {
  const prefix = typeof value === 'string' ? pattern.exec(value)?.[1] : undefined;
  return prefix === undefined ? MASK : `${prefix}${MASK}${String(value).slice(-SHOWN_LENGTH)}`;
}

const WEBHOOK_SECRET_RANDOM_LENGTH = 30;

/** A new signing secret, `<label>_whsec_<30 random>`. The whole string, prefix included, keys the HMAC (decisions.md §1.13). */
export function generateWebhookSecret(options: { label: string; randomBytes: RandomBytes }): string {
  return webhookSecretPrefix(options.label) + randomBase62(WEBHOOK_SECRET_RANDOM_LENGTH, options.randomBytes);
}

/** Whether a value has a secret's form under `label`. Never throws on a stranger's value. */
export function isWebhookSecret(value: unknown, label: string): value is string {
  const prefix = webhookSecretPrefix(label);
  return (
    typeof value === 'string' &&
    value.startsWith(prefix) &&
    /^[0-9A-Za-z]{30}$/.test(value.slice(prefix.length))
  );
}

/** @throws InvalidNamespaceLabelError */
function webhookSecretPrefix(label: string): string {
  checkNamespaceLabel(label);
  return `${label}_whsec_`;
}

const PORTAL_TOKEN_RANDOM_LENGTH = 30;

/** What opens a portal session, `<label>_portal_<30 random><6 check>`. Shown once, stored as `hashApiKey` only. */
export function generatePortalToken(options: { label: string; randomBytes: RandomBytes }): string {
  const random = randomBase62(PORTAL_TOKEN_RANDOM_LENGTH, options.randomBytes);
  return portalTokenPrefix(options.label) + random + checksumOf(random);
}

/**
 * The portal token in an Authorization header; undefined where it carries something else, which is not for us. Its form
 * is not checked yet: `isPortalToken` does.
 */
export function findPortalToken(header: string | undefined, label: string): string | undefined {
  const token = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  return token?.startsWith(portalTokenPrefix(label)) ? token : undefined;
}

/** Whether it has the form of a token, checksum included, before any look-up. Never throws on what a client sends. */
export function isPortalToken(token: string, label: string): boolean {
  const body = token.slice(portalTokenPrefix(label).length);
  return (
    token.startsWith(portalTokenPrefix(label)) &&
    body.length === PORTAL_TOKEN_RANDOM_LENGTH + API_KEY_CHECK_LENGTH &&
    /^[0-9A-Za-z]+$/.test(body) &&
    checksumOf(body.slice(0, PORTAL_TOKEN_RANDOM_LENGTH)) === body.slice(PORTAL_TOKEN_RANDOM_LENGTH)
  );
}

/** @throws InvalidNamespaceLabelError */
function portalTokenPrefix(label: string): string {
  checkNamespaceLabel(label);
  return `${label}_portal_`;
}

export const BASE62_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Cryptographically secure bytes, as `randomBytes` of node:crypto gives them. */
export type RandomBytes = (size: number) => Uint8Array;

/** The largest multiple of 62 that a byte can hold: higher bytes are drawn again, or the first digits would come more often. */
const UNBIASED_LIMIT = 248;

/** A good source refuses 3 % of the bytes; one that gives nothing usable in so many rounds is broken. */
const ROUNDS_MAX = 100;

/** @throws Error when the source of randomness is broken */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED_LIMIT) text += BASE62_ALPHABET.charAt(byte % 62);
    }
    if (text.length >= length) return text.slice(0, length);
  }
  throw new Error(
    `expected ${length} base62 characters from the random source, got ${text.length} in ${ROUNDS_MAX} rounds`,
  );
}

/** Most significant digit first, left-padded with `0` (decisions.md §1, vectors). */
function encodeBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) {
    text = BASE62_ALPHABET.charAt(rest % 62) + text;
  }
  return text;
}

/** `NAMESPACE_LABEL` of the configuration, `svc` by default: the first word of every key (decisions.md §1.1). */
export const NAMESPACE_LABEL_PATTERN = /^[a-z][a-z0-9]{1,9}$/;

export class InvalidNamespaceLabelError extends BaseError {
  readonly code = 'invalid_namespace_label';
  readonly retryable = false;
  constructor(label: unknown) {
    super(
      `expected a namespace label matching ${NAMESPACE_LABEL_PATTERN.source}, got ${JSON.stringify(label)}`,
    );
  }
}

/** @throws InvalidNamespaceLabelError */
export function checkNamespaceLabel(label: string): void {
  if (typeof label !== 'string' || !NAMESPACE_LABEL_PATTERN.test(label))
    throw new InvalidNamespaceLabelError(label);
}
