// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import { findFault, guessType, LEDGER_BYTES_MAX, NO_WINDOW, toQuery } from './upload-dialog.tsx';

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

it('leaves out what was not written', () => {
  expect(toQuery({ ...NO_WINDOW, name: '  ' })).toEqual({ scope: 'project' });
});

it('begins and ends at midnight UTC', () => {
  expect(
    toQuery({
      name: ' October ',
      from: '2026-10-01',
      to: '2026-11-01',
      scope: 'ledger',
      includesFees: true,
    }),
  ).toEqual({
    name: 'October',
    from: '2026-10-01T00:00:00Z',
    to: '2026-11-01T00:00:00Z',
    scope: 'ledger',
    include_fees: 'true',
  });
});
