// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { parseCsv } from './parse-csv.ts';

const FAMILIES = ['evm', 'tron'] as const;
const read = (text: string) => {
  const { entries, faults } = parseCsv(text, FAMILIES);
  return { entries, faults };
};

it('reads lines with and without a head, and says which line a fault is in', () => {
  expect(read('0x1\n0x2,Ann\nT1,,tron').entries).toEqual([
    { line: 1, value: '0x1' },
    { line: 2, value: '0x2', label: 'Ann' },
    { line: 3, value: 'T1', family: 'tron' },
  ]);
  expect(
    read(`label;family;address\r\n"a ""b""; c";;0x1\r\n\r\nx;;\r\n;cardano;0x2\r\n"two\nlines";TRON;T1`),
  ).toEqual({
    entries: [
      { line: 2, value: '0x1', label: 'a "b"; c' },
      { line: 6, value: 'T1', family: 'tron', label: 'two\nlines' },
    ],
    faults: [
      { line: 4, reason: 'the address is missing' },
      { line: 5, reason: 'unknown family cardano' },
    ],
  });
});

it('counts lines as an editor does, and says where a quote is not closed', () => {
  expect(read('0x1,"two\r\nlines"\r\n\n  \n0x2\r\nx,,cardano').entries.map(({ line }) => line)).toEqual([
    1, 5,
  ]);
  expect(read('0x1,"two\r\nlines"\r\n0x2\nx,,cardano').faults.map(({ line }) => line)).toEqual([4]);
  expect(read('0x1\n0x2,"Ann\n0x3')).toEqual({
    entries: [],
    faults: [{ line: 3, reason: 'a quote before this line is not closed' }],
  });
});

it('reads an export of the API with the families, groups and metadata of its addresses', () => {
  const exported = [
    'id,address,chain_family,label,metadata,groups',
    `1,0x1,evm,'=a,"{""n"":1}","[""eu;de"",""vip""]"`,
    '2,T1,tron,,{},[]',
    '3,0x3,evm,,[1],a',
    '4,0x4,evm,,,[1]',
    '5,0x5,evm,,,a;b',
  ].join('\r\n');
  expect(read(exported)).toEqual({
    entries: [
      { line: 2, value: '0x1', family: 'evm', label: '=a', groups: ['eu;de', 'vip'], metadata: { n: 1 } },
      { line: 3, value: 'T1', family: 'tron' },
      { line: 6, value: '0x5', family: 'evm', groups: ['a', 'b'] },
    ],
    faults: [4, 5].map((line) => ({
      line,
      reason: 'groups or chains are not a list, or metadata is not a JSON object',
    })),
  });
});

it('reads the chains on which an address counts', () => {
  expect(
    read('address,chain_gids\n1A,bip122:a;bip122:b\n1B,"[""bip122:a""]"\n1C,\n1D,[1]').entries.map(
      (entry) => [entry.value, entry.chain_gids],
    ),
  ).toEqual([
    ['1A', ['bip122:a', 'bip122:b']],
    ['1B', ['bip122:a']],
    ['1C', undefined],
  ]);
});

it('takes away what an export puts before a formula, and nothing else', () => {
  const labels = read(`address,label\n0x1,'=SUM(A1)\n0x2,'quoted'`).entries.map(({ label }) => label);
  expect(labels).toEqual(['=SUM(A1)', "'quoted'"]);
});

it('reads back every label that was written, whatever is in it', () => {
  const label = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.trim());
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 5 }), (labels) => {
      const text = labels.map((one) => `0x1,"${one.replaceAll('"', '""')}"`).join('\r\n');
      const found = read(`address,label\n${text}`).entries.map((entry) => entry.label ?? '');
      expect(found).toEqual(labels.map((one) => (/^'[=+\-@\t]/.test(one) ? one.slice(1) : one)));
    }),
  );
});

it('keeps each line as it stands, for a file of those that were rejected', () => {
  const { head, cells } = parseCsv('Address,note\n0x1," a "\n\n,x', FAMILIES);
  expect(head).toEqual(['Address', 'note']);
  expect([...cells]).toEqual([
    [2, ['0x1', ' a ']],
    [4, ['', 'x']],
  ]);
  expect(parseCsv('0x1,Ann', FAMILIES).head).toBeUndefined();
});
