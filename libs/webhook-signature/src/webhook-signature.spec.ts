// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { signPayload, verifySignature, type SignatureVerdict } from './index.ts';

interface Vectors {
  sign: {
    name: string;
    secrets: [string, string?];
    timestamp: number;
    body_base64: string;
    header: string;
  }[];
  verify: {
    name: string;
    header: string | null;
    secrets: string[];
    now: number;
    tolerance_seconds?: number;
    body_base64: string;
    expected: SignatureVerdict;
  }[];
}
const vectors = JSON.parse(readFileSync(new URL('../vectors/v1.json', import.meta.url), 'utf8')) as Vectors;

const secret = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';
const now = 1_700_000_000;
const secrets = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' });
const timestamps = fc.integer({ min: 0, max: 999_999_999_999 });
const bodies = fc.uint8Array({ maxLength: 300 });

/** A receiver written from interface.md alone, with nothing of the library. */
function acceptsByTheBook(header: string, body: Uint8Array, key: string, at: number): boolean {
  let t = '';
  const signatures: string[] = [];
  for (const entry of header.split(',')) {
    if (entry.startsWith('t=')) t = entry.slice(2);
    if (entry.startsWith('v1=')) signatures.push(entry.slice(3));
  }
  const payload = new Uint8Array([...new TextEncoder().encode(`${t}.`), ...body]);
  const mac = createHmac('sha256', key).update(payload).digest('hex');
  return signatures.includes(mac) && Math.abs(at - Number(t)) <= 300;
}

describe('vectors', () => {
  it('hold the one of decisions.md', () => {
    expect(vectors.sign[0]?.header).toBe(
      't=1700000000,v1=7e101e4721bcef53f62d90212d173b6599ac1e8751960c9faaf76dc724b498f6',
    );
    expect(vectors.sign[0]?.secrets).toEqual([secret]);
  });

  it.each(vectors.sign)('sign: $name', ({ secrets: keys, timestamp, body_base64, header }) => {
    const body = Buffer.from(body_base64, 'base64');
    expect(signPayload({ secrets: keys, timestamp, body })).toBe(header);
    for (const key of keys) {
      expect(verifySignature({ header, body, secret: key, now: timestamp })).toEqual({ ok: true, timestamp });
    }
  });

  it.each(vectors.verify)(
    'verify: $name',
    ({ header, secrets: keys, now: at, tolerance_seconds, body_base64, expected }) => {
      const body = Buffer.from(body_base64, 'base64');
      expect(
        verifySignature({ header, body, secrets: keys, now: at, toleranceSeconds: tolerance_seconds }),
      ).toEqual(expected);
    },
  );
});

describe('signPayload', () => {
  it('writes what an independent receiver accepts, with either secret and no other', () => {
    fc.assert(
      fc.property(
        secrets,
        secrets,
        secrets,
        timestamps,
        bodies,
        (current, previous, other, timestamp, body) => {
          const header = signPayload({ secrets: [current, previous], timestamp, body });
          expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
          expect(acceptsByTheBook(header, body, current, timestamp)).toBe(true);
          expect(acceptsByTheBook(header, body, previous, timestamp)).toBe(true);
          expect(acceptsByTheBook(header, body, other, timestamp)).toBe(
            other === current || other === previous,
          );
        },
      ),
    );
  });

  it('signs a string as its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const options = { secrets: [secret] as const, timestamp: now };
        expect(signPayload({ ...options, body: text })).toBe(
          signPayload({ ...options, body: Buffer.from(text, 'utf8') }),
        );
      }),
    );
  });

  it('signs once when there is no previous secret', () => {
    expect(signPayload({ secrets: [secret, undefined], timestamp: now, body: '' })).toMatch(
      /^t=1700000000,v1=[0-9a-f]{64}$/,
    );
  });

  it('never writes more than two signatures', () => {
    const three = ['a', 'b', 'c'] as unknown as [string, string];
    expect(() => signPayload({ secrets: three, timestamp: now, body: '' })).toThrow(
      'expected one or two secrets, got 3',
    );
  });

  it('refuses to sign without a secret, or with an empty one', () => {
    expect(() => signPayload({ secrets: [] as unknown as [string], timestamp: now, body: '' })).toThrow(
      'got 0',
    );
    expect(() => signPayload({ secrets: [secret, ''], timestamp: now, body: '' })).toThrow(
      'got an empty one',
    );
  });

  it.each([-1, 1.5, Number.NaN, Infinity, 1_700_000_000_000])('refuses %d as a timestamp', (timestamp) => {
    expect(() => signPayload({ secrets: [secret], timestamp, body: '' })).toThrow(
      'expected a timestamp in whole Unix seconds',
    );
  });
});

describe('verifySignature', () => {
  it('decides as the independent receiver does', () => {
    const skews = fc.oneof(fc.integer({ min: -302, max: 302 }), fc.constantFrom(-301, -300, 300, 301));
    fc.assert(
      fc.property(
        secrets,
        secrets,
        bodies,
        bodies,
        skews,
        fc.boolean(),
        (signer, receiver, sent, received, skew, isSame) => {
          const header = signPayload({ secrets: [signer], timestamp: now, body: sent });
          const key = isSame ? signer : receiver;
          const body = isSame ? sent : received;
          const verdict = verifySignature({ header, body, secret: key, now: now + skew });
          expect(verdict.ok).toBe(acceptsByTheBook(header, body, key, now + skew));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('takes the entries of a header in any order, beside versions that it does not know', () => {
    const unknown = fc.constantFrom(
      `v2=${'a'.repeat(64)}`,
      'v0=x',
      'kid=7',
      `v11=${'0'.repeat(64)}`,
      'V1=x',
      'v1=',
      'v1=zz',
      `v1=${'0'.repeat(64)}`,
    );
    const spaces = fc.constantFrom('', ' ', '\t', '  ');
    fc.assert(
      fc.property(
        secrets,
        secrets,
        secrets,
        bodies,
        fc.integer({ min: -310, max: 310 }),
        fc.array(unknown, { maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        spaces,
        (current, previous, key, body, skew, more, dice, space) => {
          const signed = signPayload({ secrets: [current, previous], timestamp: now, body }).split(',');
          const entries = [...signed, ...more]
            .map((entry) => ({ entry, place: dice.next().value as number }))
            .sort((a, b) => a.place - b.place)
            .map(({ entry }) => entry);
          for (const secretOfReceiver of [current, previous, key]) {
            const verdict = verifySignature({
              header: entries.join(`,${space}`),
              body,
              secret: secretOfReceiver,
              now: now + skew,
            });
            expect(verdict.ok).toBe(acceptsByTheBook(entries.join(','), body, secretOfReceiver, now + skew));
          }
        },
      ),
      { numRuns: Number(process.env.SIGNATURE_RUNS ?? 500) },
    );
  });

  it('refuses a body or a signature with any one bit changed', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 100 }),
        fc.nat(),
        fc.integer({ min: 0, max: 7 }),
        (body, place, bit) => {
          const header = signPayload({ secrets: [secret], timestamp: now, body });
          const changed = Uint8Array.from(body);
          const at = place % body.length;
          changed[at] = (changed[at] ?? 0) ^ (1 << bit);
          expect(verifySignature({ header, body: changed, secret, now })).toEqual({
            ok: false,
            reason: 'signature_mismatch',
          });
          const digit = header.length - 64 + (place % 64);
          const wrong =
            header.slice(0, digit) + (header[digit] === 'a' ? 'b' : 'a') + header.slice(digit + 1);
          expect(verifySignature({ header: wrong, body, secret, now })).toEqual({
            ok: false,
            reason: 'signature_mismatch',
          });
        },
      ),
    );
  });

  it('never throws and never accepts, whatever the header', () => {
    const pieces = fc.constantFrom(
      't=',
      'v1=',
      'v2=',
      String(now),
      ',',
      '=',
      ' ',
      '0'.repeat(64),
      'é',
      '\n',
      '\0',
    );
    const headers = fc.oneof(
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
      fc.array(fc.string()),
      fc.constant(null),
    );
    fc.assert(
      fc.property(headers, (header) => {
        expect(verifySignature({ header, body: 'x', secret, now }).ok).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes the header as a framework gives it', () => {
    const header = signPayload({ secrets: [secret], timestamp: now, body: 'x' });
    expect(verifySignature({ header: [header], body: 'x', secret, now }).ok).toBe(true);
    expect(verifySignature({ header: header.split(','), body: 'x', secret, now }).ok).toBe(true);
    expect(verifySignature({ header: [header, header], body: 'x', secret, now })).toEqual({
      ok: false,
      reason: 'malformed_header',
    });
    expect(verifySignature({ header: undefined, body: 'x', secret, now })).toEqual({
      ok: false,
      reason: 'missing_header',
    });
  });

  it('says so when the body was parsed first', () => {
    const header = signPayload({ secrets: [secret], timestamp: now, body: '{}' });
    for (const body of [{}, null, undefined, 7]) {
      const verdict = verifySignature({ header, body: body as unknown as string, secret, now });
      expect(verdict).toEqual({ ok: false, reason: 'body_not_raw' });
    }
  });

  it('uses the clock when it is given no time', () => {
    const header = signPayload({ secrets: [secret], timestamp: Math.floor(Date.now() / 1000), body: 'x' });
    expect(verifySignature({ header, body: 'x', secret }).ok).toBe(true);
    expect(
      verifySignature({
        header: signPayload({ secrets: [secret], timestamp: now, body: 'x' }),
        body: 'x',
        secret,
      }),
    ).toEqual({
      ok: false,
      reason: 'timestamp_outside_tolerance',
    });
  });

  it('refuses to run with settings under which anybody could sign', () => {
    const header = signPayload({ secrets: [secret], timestamp: now, body: 'x' });
    const options = { header, body: 'x', now };
    expect(() => verifySignature(options)).toThrow('expected a secret, got none');
    expect(() => verifySignature({ ...options, secrets: [] })).toThrow(TypeError);
    expect(() => verifySignature({ ...options, secret: '' })).toThrow(TypeError);
    expect(() => verifySignature({ ...options, secrets: [secret, undefined as unknown as string] })).toThrow(
      TypeError,
    );
    expect(() => verifySignature({ ...options, secret, toleranceSeconds: Number.NaN })).toThrow(TypeError);
    expect(() => verifySignature({ ...options, secret, toleranceSeconds: -1 })).toThrow(TypeError);
    expect(() => verifySignature({ ...options, secret, now: Number.NaN })).toThrow(TypeError);
  });
});

it('depends on nothing but node:crypto', () => {
  const folder = new URL('.', import.meta.url);
  const sources = readdirSync(folder).filter((name) => !name.endsWith('.spec.ts'));
  const imports = sources.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/from '([^']+)'/g)].map(
      ([, specifier = '']) => specifier,
    ),
  );
  expect(new Set(imports.filter((specifier) => !specifier.startsWith('./')))).toEqual(
    new Set(['node:crypto']),
  );
});
