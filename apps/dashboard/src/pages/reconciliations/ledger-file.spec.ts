// SPDX-License-Identifier: Apache-2.0
import { findFault, guessType, LEDGER_BYTES_MAX } from './ledger-file.ts';

it.each([
  ['october.csv', 'text/csv'],
  ['october.ndjson', 'application/x-ndjson'],
  ['OCTOBER.JSONL', 'application/x-ndjson'],
  ['ndjson.csv', 'text/csv'],
  ['ledger', 'text/csv'],
])('takes %s for %s', (name, type) => expect(guessType(name)).toBe(type));

it('refuses a file that the API would refuse', () => {
  expect([findFault({ size: 0 }), findFault({ size: 1 }), findFault({ size: LEDGER_BYTES_MAX })]).toEqual([
    'The file is empty.',
    undefined,
    undefined,
  ]);
  expect(findFault({ size: LEDGER_BYTES_MAX + 1 })).toMatch('larger than 256 MiB');
});
