// SPDX-License-Identifier: Apache-2.0
import { NO_WINDOW, toQuery } from './ledger-window.ts';

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
