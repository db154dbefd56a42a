// SPDX-License-Identifier: Apache-2.0
import type { SealerKeys } from './create-sealer.ts';

/**
 * Reads SECRETS_KEYS: `kid:base64,kid:base64`, the first one active. To rotate: put a new key in front,
 * reseal every value for which needsRotation() is true, then remove the old key.
 */
export function parseSecretsKeys(text: string): SealerKeys {
  const entries = text.split(',').map((part, index): [string, string] => {
    const [id = '', key = '', ...rest] = part.trim().split(':');
    if (id === '' || key === '' || rest.length > 0)
      throw new TypeError(`expected kid:base64 as entry ${index + 1} of the secrets keys`);
    return [id, key];
  });
  const keys = Object.fromEntries(entries);
  if (Object.keys(keys).length !== entries.length)
    throw new TypeError('expected different key ids in the secrets keys, got the same one twice');
  return { keys, activeKeyId: entries[0]![0] };
}
