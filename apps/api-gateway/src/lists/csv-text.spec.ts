// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { markText, unmarkText } from './csv-text.ts';

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1+1', '＋1', '－1', '＠SUM(A1)', "'＝1"])(
  '%j is marked',
  (text) => {
    expect(markText(text)).toBe(`'${text}`);
  },
);

it.each(['', 'a=1', ' =1', "'", "o'clock", '1-1', '\n=1'])('%j is not', (text) => {
  expect(markText(text)).toBe(text);
});

it('any text is the same again when its mark is taken away', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '＝', '＠', 'a') }),
  );
  fc.assert(
    fc.property(text, (value) => {
      expect(unmarkText(markText(value))).toBe(value);
      expect(markText(value)).not.toMatch(/^[=+\-@\t＝＋－＠]/);
    }),
  );
});
