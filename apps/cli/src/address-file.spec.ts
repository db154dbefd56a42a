import fc from 'fast-check';
import { formatCsvRow, parseAddressFile } from './address-file.ts';

const parse = (text: string): unknown => parseAddressFile(Buffer.from(text));

describe('a file of addresses', () => {
  it('is read whatever its columns stand for, with a byte order mark and line ends of Windows too', () => {
    expect(parse('\ufefflabel,address,more\r\n"a, b",0x1,x\r\n,0x2,\r\n')).toEqual([
      { value: '0x1', label: 'a, b' },
      { value: '0x2' },
    ]);
    expect(parse('value,groups,metadata\n0x1,a;b,"{""n"": 1}"')).toEqual([
      { value: '0x1', groups: ['a', 'b'], metadata: { n: 1 } },
    ]);
  });

  it.each([
    ['', 'expected rows of addresses'],
    ['name\nx', 'expected a column "address", got name'],
    ['address,label\n0x1,a\n,b', 'row 3: expected an address'],
    ['address,metadata\n0x1,[1]', 'row 2: expected metadata as a JSON object, got [1]'],
    ['address,metadata\n0x1,{', 'row 2: expected metadata'],
    ['address\n0x1,0x2', 'expected CSV: '],
  ])('%j is refused: %s', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('is read as it was written, whatever the labels, and no cell begins as a formula', () => {
    const labels = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => text.trim() === text && !text.startsWith("'"));
    fc.assert(
      fc.property(labels, fc.dictionary(fc.string(), fc.string()), (label, metadata) => {
        const row = formatCsvRow(['0x1', label, JSON.stringify(metadata)]);
        expect(row.split(',', 2)[1]).not.toMatch(/^"?[=+\-@\t]/);
        const [read] = parse(`address,label,metadata\n${row}`) as { label: string; metadata?: object }[];
        expect(read).toEqual({ value: '0x1', label, metadata: { ...metadata } });
      }),
    );
  });
});
