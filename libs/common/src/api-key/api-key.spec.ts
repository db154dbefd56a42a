// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import {
  API_KEY_TYPES,
  checksumOf,
  crc32,
  BASE62_ALPHABET,
  randomBase62,
  type ApiKeyType,
} from './api-key.ts';
import {
  apiKeyLength,
  compareHash,
  generateApiKey,
  generateWebhookSecret,
  hashApiKey,
  InvalidNamespaceLabelError,
  isWebhookSecret,
  maskApiKey,
  maskWebhookSecret,
  parseApiKey,
} from './index.ts';

interface Vectors {
  checks: { random: string; check: string }[];
  keys: {
    label: string;
    type: ApiKeyType;
    random: string;
    key: string;
    length: number;
    sha256: string;
    mask: string;
  }[];
  webhookSecrets: { label: string; secret: string; length: number; mask: string }[];
}
const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/api-key.json', import.meta.url), 'utf8'),
) as Vectors;

/** A source of randomness that gives exactly these base62 characters. */
const scripted = (text: string) => (size: number) =>
  Uint8Array.from(text.slice(0, size), (char) => BASE62_ALPHABET.indexOf(char));

const labels = fc.stringMatching(/^[a-z][a-z0-9]{1,9}$/);
const types = fc.constantFrom(...API_KEY_TYPES);
const keys = fc
  .record({ label: labels, type: types })
  .map((kind) => ({ ...kind, key: generateApiKey({ ...kind, randomBytes }) }));

describe('vectors', () => {
  it.each(vectors.checks)('checksum of $random is $check', ({ random, check }) => {
    expect(checksumOf(random)).toBe(check);
  });

  it.each(vectors.keys)('$key', ({ label, type, random, key, length, sha256, mask }) => {
    expect(generateApiKey({ label, type, randomBytes: scripted(random) })).toBe(key);
    expect(parseApiKey(key, label)).toEqual({ ok: true, type, key });
    expect(key).toHaveLength(length);
    expect(apiKeyLength(label)).toBe(length);
    expect(Buffer.from(hashApiKey(key)).toString('hex')).toBe(sha256);
    expect(maskApiKey(key)).toBe(mask);
  });

  it.each(vectors.webhookSecrets)('$secret', ({ label, secret, length, mask }) => {
    expect(generateWebhookSecret({ label, randomBytes: scripted('0123456789ABCDEFGHIJKLMNOPQRST') })).toBe(
      secret,
    );
    expect(isWebhookSecret(secret, label)).toBe(true);
    expect(secret).toHaveLength(length);
    expect(maskWebhookSecret(secret)).toBe(mask);
  });

  it('has 38 and 40 characters under svc, 40 and 42 under a label of five letters', () => {
    expect(vectors.keys.map(({ length }) => length)).toEqual([38, 38, 38, 40, 40, 40]);
    expect(vectors.webhookSecrets.map(({ length }) => length)).toEqual([40, 42]);
  });
});

describe('checksum', () => {
  it("is zlib's CRC-32", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...BASE62_ALPHABET), maxLength: 64 }), (text) => {
        expect(crc32(text)).toBe(zlibCrc32(text));
      }),
    );
  });

  it('tells every wrong character and every swap of neighbors', () => {
    const places = fc.nat(29);
    fc.assert(
      fc.property(keys, places, fc.constantFrom(...BASE62_ALPHABET), ({ label, key }, place, char) => {
        const at = key.length - 30 + place;
        const changed = key.slice(0, at) + char + key.slice(at + 1);
        const swapped = key.slice(0, at) + key.slice(at + 1, at + 2) + key.charAt(at) + key.slice(at + 2);
        for (const wrong of [changed, swapped].filter((text) => text !== key)) {
          expect(parseApiKey(wrong, label)).toEqual({ ok: false, reason: 'wrong_checksum' });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('parseApiKey', () => {
  const key = vectors.keys[0]?.key ?? '';

  it.each([
    [undefined, 'not_text'],
    [null, 'not_text'],
    [[key], 'not_text'],
    [{ length: 38 }, 'not_text'],
    ['', 'wrong_prefix'],
    ['svc_', 'wrong_prefix'],
    ['svc_adm_0123456789ABCDEFGHIJKLMN2YbPlI', 'wrong_prefix'],
    ['SVC_api_0123456789ABCDEFGHIJKLMN2YbPlI', 'wrong_prefix'],
    [` ${key}`, 'wrong_prefix'],
    ['watch_api_0123456789ABCDEFGHIJKLMN2YbPlI', 'wrong_prefix'],
    ['svc_api_', 'wrong_length'],
    [`${key}0`, 'wrong_length'],
    [`${key}\n`, 'wrong_length'],
    [key.slice(0, -1), 'wrong_length'],
    [`svc_api_${'0'.repeat(1_000_000)}`, 'wrong_length'],
    ['svc_api_0123456789ABCDEFGHIJKL-_2YbPlI', 'wrong_alphabet'],
    ['svc_api_0123456789ABCDEFGHIJKLMN2YbPl\n', 'wrong_alphabet'],
    ['svc_api_0123456789ABCDEFGHIJKLMN2YbPlé', 'wrong_alphabet'],
    ['svc_api_0123456789ABCDEFGHIJKLMN2YbPlJ', 'wrong_checksum'],
    ['svc_api_1123456789ABCDEFGHIJKLMN2YbPlI', 'wrong_checksum'],
  ])('refuses %.60p as %s', (value, reason) => {
    expect(parseApiKey(value, 'svc')).toEqual({ ok: false, reason });
  });

  it('knows every key it generates, under its own label only', () => {
    fc.assert(
      fc.property(keys, labels, ({ label, type, key: generated }, other) => {
        expect(parseApiKey(generated, label)).toEqual({ ok: true, type, key: generated });
        expect(generated).toHaveLength(apiKeyLength(label));
        if (other !== label) expect(parseApiKey(generated, other).ok).toBe(false);
      }),
    );
  });

  it('never throws on what a client sends', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.string().map((text) => `svc_api_${text}`),
        ),
        (value) => {
          expect(parseApiKey(value, 'svc').ok).toBe(false);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each(['', 's', 'Svc', '1svc', 'svc_', 'abcdefghijk', 'sv c'])('refuses %j as a label', (label) => {
    expect(() => parseApiKey(key, label)).toThrow(InvalidNamespaceLabelError);
    expect(() => generateApiKey({ label, type: 'api', randomBytes })).toThrow(InvalidNamespaceLabelError);
    expect(() => generateWebhookSecret({ label, randomBytes })).toThrow(InvalidNamespaceLabelError);
  });
});

describe('randomBase62', () => {
  it('gives every character equally often when every byte comes equally often', () => {
    const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const text = randomBase62(248, () => everyByte);
    const counts = [...BASE62_ALPHABET].map((char) => text.split(char).length - 1);
    expect(new Set(counts)).toEqual(new Set([4]));
  });

  it('draws again for the bytes it refuses', () => {
    const draws = [Uint8Array.of(255, 248, 1), Uint8Array.of(61, 250), Uint8Array.of(62)];
    expect(randomBase62(3, () => draws.shift() ?? new Uint8Array())).toBe('1z0');
  });

  it('gives up on a source that gives nothing usable', () => {
    expect(() => randomBase62(3, () => Uint8Array.of(255))).toThrow(
      'expected 3 base62 characters from the random source, got 0',
    );
    expect(() => randomBase62(3, () => new Uint8Array())).toThrow('got 0');
  });
});

describe('masks', () => {
  it('show four characters of a key and nothing of anything else', () => {
    expect(maskApiKey('hunter2')).toBe('****');
    expect(maskApiKey(undefined)).toBe('****');
    expect(maskWebhookSecret(vectors.keys[0]?.key)).toBe('****');
    fc.assert(
      fc.property(keys, ({ key }) => {
        expect(maskApiKey(key)).toBe(`${key.slice(0, -30)}****${key.slice(-4)}`);
      }),
    );
  });
});

describe('hashes', () => {
  it('are SHA-256 of the whole key, and equal only to themselves', () => {
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        const hash = hashApiKey(one.key);
        expect(Buffer.from(hash).equals(createHash('sha256').update(one.key).digest())).toBe(true);
        expect(compareHash(hash, hashApiKey(one.key))).toBe(true);
        expect(compareHash(hash, hashApiKey(other.key))).toBe(one.key === other.key);
      }),
    );
  });

  it('of another length are not equal', () => {
    expect(compareHash(new Uint8Array(32), new Uint8Array(31))).toBe(false);
  });
});
