// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { parseCsv, writeRejected } from './parse-csv.ts';

it('has the columns of the file, then the line and the reason', () => {
  const file = parseCsv('label;address;note\nAnn;0x1;"a;b"\nBob;0x2', ['evm']);
  expect(writeRejected(file, [{ line: 3, reason: 'got "x", expected y' }])).toBe(
    'label,address,note,line,reason\r\nBob,0x2,,3,"got ""x"", expected y"\r\n',
  );
  expect(writeRejected(file, [{ line: 2, reason: 'no' }])).toContain('Ann,0x1,"a;b",2,no');
});

it('names the columns of a file that does not', () => {
  const file = parseCsv('0x1,Ann', ['evm']);
  expect(writeRejected(file, [{ line: 1, reason: 'no' }])).toBe(
    'address,label,family,line,reason\r\n0x1,Ann,,1,no\r\n',
  );
});

it('is read again with the same labels, whatever is in them, and calculates nothing', () => {
  const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => text.trim());
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 5 }), (labels) => {
      const text = labels.map((one) => `0x1,"${one.replaceAll('"', '""')}"`).join('\r\n');
      const file = parseCsv(`address,label\n${text}`, ['evm']);
      const faults = file.entries.map(({ line }) => ({ line, reason: 'no' }));
      const again = parseCsv(writeRejected(file, faults), ['evm']);
      expect(again.entries.map((entry) => entry.label)).toEqual(file.entries.map((entry) => entry.label));
    }),
  );
  const file = parseCsv('address,label\n0x1,=SUM(A1)', ['evm']);
  expect(writeRejected(file, [{ line: 2, reason: 'no' }])).toContain("0x1,'=SUM(A1),2,no");
});
