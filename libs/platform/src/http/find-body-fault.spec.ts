// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { findBodyFault, findInexactNumbers } from './find-body-fault.ts';

describe('findBodyFault', () => {
  it.each<[unknown, string]>([
    ['a\u0000b', 'body'],
    [{ a: { b: ['x', '\ud800'] } }, 'a.b.1'],
    [{ a: { 'k\u0000': 1 } }, 'a'],
    [{ '\udc00': 1 }, 'body'],
    [JSON.parse('{"a":{"__proto__":{"b":1}}}'), 'a'],
    [JSON.parse('{"a":' + '['.repeat(50_000) + ']'.repeat(50_000) + '}'), 'a'],
  ])('finds the fault of %# at %s', (body, name) => {
    expect(findBodyFault(body)).toMatchObject({ name });
  });

  it('lets through all JSON of well-formed text without null characters', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 20 }), text, (value, more) => {
        fc.pre(!/\\u0000|"__proto__":/.test(JSON.stringify([value, more])));
        expect(findBodyFault({ value, more })).toBeUndefined();
      }),
    );
  });
});

const nameOf = (text: string) => findInexactNumbers(text)[0]?.name;

describe('findInexactNumbers', () => {
  it.each([
    ['{"metadata":{"id":12345678901234567890}}', 'metadata.id'],
    ['{"a":[1,{"b":1e999}]}', 'a.1.b'],
    [`{"a":${'9'.repeat(400)}}`, 'a'],
    ['{"a":0.1234567890123456789}', 'a'],
    ['{"a":1e-400}', 'a'],
    ['{"a":"12345678901234567890","b":9007199254740993}', 'b'],
    ['-9007199254740993', 'body'],
  ])('names the number of %.60s', (text, name) => {
    expect(nameOf(text)).toBe(name);
  });

  it.each([
    '{"a":9007199254740992}',
    '{"a":0.1}',
    '{"a":1.50}',
    '{"a":1e3,"b":1E+2,"c":-0.0,"d":123456789012345680000}',
    '{"a":"1e999 12345678901234567890 \\" 1e999"}',
    '{"0.12345678901234567890":1}',
    '[]',
  ])('lets %s pass', (text) => {
    expect(findInexactNumbers(text)).toEqual([]);
  });

  it('lets everything pass that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.json(), (text) => findInexactNumbers(JSON.stringify(JSON.parse(text))).length === 0),
      { numRuns: 500 },
    );
  });

  it('lets no integer pass that is read as another one', () => {
    // Below 10^21 JavaScript writes an integer without an exponent.
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 69n), max: 2n ** 69n }),
        (integer) =>
          (nameOf(`{"n":${integer}}`) === undefined) === (String(Number(integer)) === String(integer)),
      ),
      { numRuns: 2_000 },
    );
  });
});
