// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { formatCsvRow, formatGroups, parseAddressFile } from './address-file.ts';

/** What the import of the API makes of a label. */
const takeAway = (label: string): string => (/^'+[=+\-@\t]/.test(label) ? label.slice(1) : label);
const parse = (text: string): unknown => parseAddressFile(Buffer.from(text));

describe('a file of addresses', () => {
  it('is read whatever its columns stand for, with a byte order mark and line ends of Windows too', () => {
    expect(parse('\ufefflabel,address,more\r\n"a, b",0x1,x\r\n,0x2,\r\n')).toEqual([
      { value: '0x1', label: 'a, b' },
      { value: '0x2' },
    ]);
    expect(parse('address,chain_gids\n1A,bip122:a;bip122:b\n1B,')).toEqual([
      { value: '1A', chain_gids: ['bip122:a', 'bip122:b'] },
      { value: '1B' },
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
    ['address,groups\n0x1,[1]', 'row 2: expected groups as a;b or a JSON list, got [1]'],
    ['address,groups\n0x1,[', 'row 2: expected groups'],
    ['address\n0x1,0x2', 'expected CSV: '],
  ])('%j is refused: %s', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('is read as it was written, whatever the labels, and no cell begins as a formula', () => {
    const texts = fc
      .tuple(fc.constantFrom('', "'", "''", '=', "'=", "''-"), fc.string({ unit: 'grapheme' }))
      .map((parts) => parts.join(''))
      .filter((text) => text.trim() === text && text !== '');
    const names = fc.array(texts.filter((text) => !text.includes(',')));
    fc.assert(
      fc.property(texts, names, fc.dictionary(fc.string(), fc.string()), (label, groups, metadata) => {
        const row = formatCsvRow(['0x1', label, formatGroups(groups), JSON.stringify(metadata)]);
        expect(row.split(',', 2)[1]).not.toMatch(/^"?[=+\-@\t]/);
        const [read] = parse(`address,label,groups,metadata\n${row}`) as { label: string }[];
        expect({ ...read, label: takeAway(read!.label) }).toEqual({
          value: '0x1',
          label,
          ...(groups.length > 0 && { groups }),
          metadata: { ...metadata },
        });
      }),
    );
  });

  it('that the API exported is read with its groups', () => {
    const exported =
      'id,address,chain_family,label,metadata,groups\r\n1,0x1,evm,\'=a,"{""n"":1}","[""eu;de"",""vip""]"\r\n2,0x2,evm,,{},[]\r\n';
    expect(parse(exported)).toEqual([
      { value: '0x1', label: "'=a", groups: ['eu;de', 'vip'], metadata: { n: 1 } },
      { value: '0x2', metadata: {} },
    ]);
  });
});
