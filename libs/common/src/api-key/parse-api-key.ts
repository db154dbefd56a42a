// SPDX-License-Identifier: Apache-2.0
import {
  API_KEY_CHECK_LENGTH,
  API_KEY_TYPES,
  apiKeyLength,
  apiKeyPrefix,
  checksumOf,
  type ApiKeyType,
} from './api-key.ts';

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
