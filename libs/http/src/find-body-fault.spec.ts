import fc from 'fast-check';
import { findBodyFault } from './find-body-fault.ts';

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
