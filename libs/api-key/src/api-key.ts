// SPDX-License-Identifier: Apache-2.0
import { encodeBase62, randomBase62, type RandomBytes } from './base62.ts';
import { crc32 } from './crc32.ts';
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
