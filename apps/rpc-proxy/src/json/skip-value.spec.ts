// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { skipStrictValue } from './skip-value.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const isRead = (text: string): boolean => {
  const bytes = Buffer.from(text);
  return skipStrictValue(bytes, 0) === bytes.length;
};

it.each([
  '0',
  '-0',
  '1.5',
  '1e3',
  '1E+3',
  '-12.5e-7',
  '18446744073709551616',
  'true',
  'false',
  'null',
  '""',
  '"\\u00e9\\n\\"\\/x"',
  '[]',
  '{}',
  '[ ]',
  '{ }',
  '[1,2]',
  '{"a":[{}, []]}',
  '{"a":1,"a":2}',
  '',
  'abc',
  '01',
  '1.',
  '.5',
  '1e',
  '+1',
  '-',
  'tru',
  'nulll',
  'NaN',
  '"',
  '"\\x"',
  '"\\u12g4"',
  '"\\u12"',
  '"\n"',
  '[',
  ']',
  '[1,]',
  '[,1]',
  '[1 2]',
  '[1}',
  '{1}',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{"a":1]',
  '{a:1}',
  '[1,,2]',
  '{"a":[1}',
  '{"a":{"b":[}]}',
])('%j is read as JSON.parse reads it', (text) => {
  expect(isRead(text)).toBe(isJson(text));
});

it('is read however deep it is', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const deep = `${open.repeat(3_000)}1${close.repeat(3_000)}`;
    expect([isRead(deep), isRead(deep.slice(0, -1)), isRead(`${deep}${close}`)]).toEqual([
      true,
      false,
      false,
    ]);
  }
});

it('agrees with JSON.parse on values of which a byte was changed', () => {
  const change = fc.tuple(
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom(...'[]{}",:\\ 0e.-+nta\u0001'),
    fc.constantFrom(0, 1),
  );
  fc.assert(
    fc.property(change, ([text, place, letter, cut]) => {
      const at = place % (text.length + 1);
      const changed = (text.slice(0, at) + letter + text.slice(at + cut)).trim();
      expect([changed, isRead(changed)]).toEqual([changed, isJson(changed)]);
    }),
    { numRuns: 3_000 },
  );
});
