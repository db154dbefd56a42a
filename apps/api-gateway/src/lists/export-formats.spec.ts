// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findWriter } from './export-formats.ts';

const one = z.object({ kind: z.literal('one'), label: z.string().nullable(), tags: z.array(z.string()) });
const other = z.object({
  kind: z.literal('other'),
  label: z.string().nullable(),
  isGood: z.boolean(),
  n: z.number(),
});
const record = z.discriminatedUnion('kind', [one, other]);
const rows = [
  { kind: 'one', label: '=1+1', tags: ['a', '-b'] },
  { kind: 'one', label: 'say "hi",\nü', tags: [] },
  { kind: 'other', label: null, isGood: false, n: -1.5 },
  { kind: 'other', label: '', isGood: true, n: 0 },
];

it('CSV has a column for each member of any record: text marked and quoted, objects as JSON, null empty', () => {
  const { head, write } = findWriter('text/csv', record)!;
  expect(head + write(rows.slice(0, 2)) + write([]) + write(rows.slice(2))).toBe(
    [
      'kind,label,tags,isGood,n',
      `one,'=1+1,"[""a"",""-b""]",,`,
      'one,"say ""hi"",\nü",[],,',
      'other,,,false,-1.5',
      'other,,,true,0',
      '',
    ].join('\r\n'),
  );
});

it('NDJSON has a record a line', () => {
  const { head, write } = findWriter('application/x-ndjson', record)!;
  expect([head, write(rows.slice(0, 2)), write([])]).toEqual([
    '',
    '{"kind":"one","label":"=1+1","tags":["a","-b"]}\n{"kind":"one","label":"say \\"hi\\",\\nü","tags":[]}\n',
    '',
  ]);
});

it('other media types are pages', () => {
  expect([findWriter('application/json', record), findWriter('text/plain', record)]).toEqual([
    undefined,
    undefined,
  ]);
});
