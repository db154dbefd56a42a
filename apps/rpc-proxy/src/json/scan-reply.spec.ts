// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { findIdAtEnd, findIdNearStart, findReplyId, idKeyOf, idsEqual, NO_ID } from './scan-reply.ts';
import { skipValue } from './skip-value.ts';

const idOf = (text: string): unknown => {
  const bytes = Buffer.from(text);
  const start = findReplyId(bytes, text.indexOf('{'));
  return start === NO_ID
    ? undefined
    : (JSON.parse(bytes.toString('utf8', start, skipValue(bytes, start))) as unknown);
};

describe('the id of a reply', () => {
  it('is found wherever it stands, and never in what the reply holds', () => {
    const id = fc.oneof(
      fc.integer(),
      fc.string({ maxLength: 8 }),
      fc.constant(null),
      fc.constantFrom('"', '\\', '{}', ',"id":7}'),
    );
    const held = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<unknown>({ id: 7 }, [{ id: 7 }], '","id":7', 'x\\","id":"7"', { a: { id: 7 } }),
    );
    fc.assert(
      fc.property(
        id,
        held,
        fc.constantFrom('front', 'middle', 'end'),
        fc.constantFrom('', ' ', '\n\t'),
        (own, result, place, space) => {
          const members = [`"result"${space}:${space}${JSON.stringify(result)}`, `"error":null`];
          members.splice(
            ['front', 'middle', 'end'].indexOf(place),
            0,
            `"id"${space}:${space}${JSON.stringify(own)}`,
          );
          const text = `${space}{${space}${members.join(`${space},${space}`)}${space}}${space}`;
          expect(idOf(text)).toEqual(own);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '{}',
    '{"result":{"id":7}}',
    '{"result":[{"id":7}]}',
    '{"result":"\\"id\\":7"}',
    '{"result":{"a":1,"id":"x"} }',
    '{"ix":1}',
    '',
    '{"id":',
  ])('is none in %s', (text) => {
    expect(idOf(text)).toBeUndefined();
  });

  it('is not taken from a piece that may go on', () => {
    for (const text of ['{"jsonrpc":"2.0","id":12', '{"id":"12', '{"id":'])
      expect(findIdNearStart(Buffer.from(text), 0)).toBe(NO_ID);
    expect(findIdNearStart(Buffer.from('{"id":12,'), 0)).toBe(6);
    expect(findIdAtEnd(Buffer.from('}],"id":"a\\"b" }\n'))).toBe(8);
    expect(findIdAtEnd(Buffer.from('d":12}'))).toBe(NO_ID);
  });
});

describe('two ids', () => {
  const equal = (one: string, other: string): boolean =>
    idsEqual(Buffer.from(one), 0, Buffer.byteLength(one), Buffer.from(other), 0, Buffer.byteLength(other));

  it.each([
    ['1', '1'],
    ['1e3', '1000'],
    ['1.0', '1'],
    ['-0', '0'],
    ['"\\u0061"', '"a"'],
    ['"\\/"', '"/"'],
    ['12345678901234567890', '12345678901234567000'],
    ['"\\ud800"', '"\ufffd"'],
    ['null', 'null'],
    ['"ü"', '"\\u00fc"'],
  ])('%s and %s are one value', (one, other) => {
    expect([equal(one, other), equal(other, one)]).toEqual([true, true]);
    expect(idKeyOf(Buffer.from(one), 0, Buffer.byteLength(one))).toBe(
      idKeyOf(Buffer.from(other), 0, Buffer.byteLength(other)),
    );
  });

  it.each([
    ['1', '2'],
    ['1', '"1"'],
    ['1', '10'],
    ['null', '"null"'],
    ['"a"', '"A"'],
    ['1.5', '1'],
    ['true', '"true"'],
    ['"1"', '1'],
  ])('%s and %s are two', (one, other) => {
    expect([equal(one, other), equal(other, one)]).toEqual([false, false]);
  });
});
