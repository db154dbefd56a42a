// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';

/** What clients send by mistake or malice. */
export const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202e',
    '%00',
    '%zz',
    '%',
    '%c3%28',
    '../../etc/passwd',
    "' OR 1=1 --",
    '"; DROP TABLE addresses; --',
    '${7*7}',
    '<script>alert(1)</script>',
    'null',
    'undefined',
    'NaN',
    '-1',
    '0x10',
    '1e309',
    '9007199254740993',
    '99999999999999999999999999',
    'true',
    '[]',
    '{}',
    '__proto__',
    'constructor',
    'toString',
    'eip155:1',
    'eip155:999999999999999999999999999999',
    'tron:mainnet',
    'slip44:60',
    'erc20:0x0',
    '𝒳'.repeat(50),
    'x'.repeat(300),
    'y'.repeat(5_000),
    'http://169.254.169.254/',
    'http://[::ffff:127.0.0.1]/',
    'file:///etc/passwd',
    'javascript:1',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-02-30T00:00:00Z',
    '00000000-0000-0000-0000-000000000000',
    'a,b,,c',
    ',',
    '+',
    '.',
    '..',
    'e\u0301',
    '\ufeff',
    'İ',
    '\r\nX-Injected: 1',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

const deep = fc
  .integer({ min: 1, max: 200 })
  .map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown);

export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.double(),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER + 1,
    -(2 ** 53),
    2 ** 31,
    2 ** 63,
    [],
    {},
    [[]],
    { $gt: '' },
  ),
  deep,
  fc.array(hostileText, { maxLength: 200 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 5 }),
);

/** Mostly undefined. */
export function rarely<T>(arbitrary: fc.Arbitrary<T>, oneIn = 25): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: oneIn, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

type Spoil = (text: string) => string | Buffer;

/** Larger than any body may be. As often as this, so that some are among two thousand requests. */
const oversized = fc.constantFrom<Spoil>(
  () => 'x'.repeat(300_000),
  () => `{"name":"${'x'.repeat(300_000)}"}`,
  (text) => text.padEnd(300_000),
);

/** Broken in a way that no value can be: the text of a body as it goes over the wire. */
export const spoilBody: fc.Arbitrary<Spoil | undefined> = rarely(
  fc.oneof(
    { weight: 1, arbitrary: oversized },
    {
      weight: 5,
      arbitrary: fc.constantFrom<Spoil>(
        (text) => text.slice(0, Math.floor(text.length / 2)),
        (text) => `${text}${text}`,
        (text) => `\ufeff${text}`,
        (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xc3, 0x28])]),
        (text) => Buffer.from(text.replace(/"(?=:)/, '\u00ff"'), 'latin1'),
        (text) => Buffer.from(text, 'utf16le'),
        (text) => text.replace(/^\{("[^"]*":)/, '{$1null,$1'),
        (text) => text.replace(/^\{/, '{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}},'),
        (text) => text.replace(/"(?=[,}\]])/, '\\ud800"'),
        (text) => text.replace(/"(?=[,}\]])/, '\\u0000"'),
        (text) => text.replace(/:\s*[^,{}[\]]+(?=[,}])/, ':1e400'),
        (text) => text.replace(/:\s*[^,{}[\]]+(?=[,}])/, ':-0.0'),
        (text) => text.replace(/:\s*[^,{}[\]]+(?=[,}])/, `:${'9'.repeat(400)}`),
        () => '',
        () => ' ',
        () => '{',
        () => 'nul',
        () => '"',
        () => '\u0000',
        () => '{"a":1}{"b":2}',
        () => "{'a':1}",
        () => '{"a":1,}',
        () => '['.repeat(100_000),
        () => '{"a":'.repeat(30_000),
        () => `{"name":"${'x'.repeat(262_000)}"}`,
        () => `"${'\\u0041'.repeat(43_000)}"`,
      ),
    },
  ),
  12,
);
