// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import { listUntold } from './untold-choice.tsx';

it('lists active chains where a receiver of transactions misses something, and what to subscribe to', () => {
  const chain = (display_name: string, untold: readonly string[], isActive = true) =>
    ({ display_name, is_active: isActive, untold_reasons: untold }) as Parameters<
      typeof listUntold
    >[0][number];
  expect(
    listUntold([
      chain('ethereum', ['withdrawal', 'adjustment']),
      chain('polygon', []),
      chain('avalanche', ['atomic']),
      chain('gnosis', ['reward', 'adjustment'], false),
      chain('new', ['withdrawal', 'airdrop']),
    ]),
  ).toEqual({
    lines: [
      'ethereum: withdrawals of validators, unexplained differences',
      'avalanche: imports and exports',
      'new: withdrawals of validators, airdrop',
    ],
    reasons: ['withdrawal', 'adjustment', 'atomic', 'airdrop'],
  });
  expect(listUntold([])).toEqual({ lines: [], reasons: [] });
});
