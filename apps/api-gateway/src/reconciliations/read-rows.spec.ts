// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { readCsv } from './read-rows.ts';

const HEADER = 'reference,hash,address,asset_gid,amount';
const ROWS = ['r1,h1,a,x,1', 'r2,h2,a,x,2', 'r3,h3,a,x,3'];

it.each([
  ['\r\n', '\n'],
  ['\n', '\r\n'],
  ['\r\n', '\r\n'],
  ['\n', '\n'],
  ['\r', '\n'],
])(
  'reads every row with its line, whatever ends the header (%j) and the rows (%j)',
  async (first, others) => {
    const text = `${HEADER}${first}${ROWS.map((row) => `${row}${others}`).join('')}`;
    const rows = [];
    for await (const { line, cells, fault } of readCsv(Readable.from([Buffer.from(text)])))
      rows.push([line, cells.reference, cells.amount, fault]);
    expect(rows).toEqual([
      [2, 'r1', '1', undefined],
      [3, 'r2', '2', undefined],
      [4, 'r3', '3', undefined],
    ]);
  },
);
