import fc from 'fast-check';
import { parseCsv } from './parse-csv.ts';

const FAMILIES = ['evm', 'tron'] as const;
const read = (text: string) => parseCsv(text, FAMILIES, 'evm');

it('reads lines with and without a head, and says which line a fault is in', () => {
  expect(read('0x1\n0x2,Ann\nT1,,tron').entries).toEqual([
    { line: 1, value: '0x1', family: 'evm' },
    { line: 2, value: '0x2', family: 'evm', label: 'Ann' },
    { line: 3, value: 'T1', family: 'tron' },
  ]);
  expect(
    read(`label;family;address\r\n"a ""b""; c";;0x1\r\n\r\nx;;\r\n;cardano;0x2\r\n"two\nlines";TRON;T1`),
  ).toEqual({
    entries: [
      { line: 2, value: '0x1', family: 'evm', label: 'a "b"; c' },
      { line: 6, value: 'T1', family: 'tron', label: 'two\nlines' },
    ],
    faults: [
      { line: 4, reason: 'there is no address' },
      { line: 5, reason: 'there is no family cardano' },
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
    faults: [{ line: 3, reason: 'a quote before it is not closed' }],
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
      reason: 'its groups or chains are no list, or its metadata is no JSON object',
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
