// SPDX-License-Identifier: Apache-2.0
import { encodeBase62, randomBase62, type RandomBytes } from './base62.ts';
import { checkNamespaceLabel } from './namespace-label.ts';

/** `api`: platform API of one project; `rpc`: RPC gateway; `mgt`: management interface, both of a workspace. */
export const API_KEY_TYPES = ['api', 'rpc', 'mgt'] as const;
export type ApiKeyType = (typeof API_KEY_TYPES)[number];

const API_KEY_RANDOM_LENGTH = 24;
export const API_KEY_CHECK_LENGTH = 6;

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
