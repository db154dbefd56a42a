// SPDX-License-Identifier: Apache-2.0
import { BalanceTally } from './balance-tally.ts';
import type { Entry } from './read-entries.ts';

const reading = (number: number, amountRaw: bigint) => ({
  number,
  amountRaw,
  hash: `0x${number}`,
  time: null,
});
const entry = (change: Partial<Entry>): Entry => ({
  ...{ kind: 'transfer', asset_gid: 'x', symbol: null, decimals: 2, reason: 'transfer', amount_raw: '5' },
  ...{ block_number: 11, block_hash: '0x11', block_time: null, from_address: null, to_address: null },
  ...{ transfer_index: 0, hash: '0xaa', status: 'confirmed', verification: 'proved' },
  ...{ since_block: null, event_id: null },
  ...change,
});
const tallyOf = (isOfCoins: boolean): BalanceTally =>
  new BalanceTally(
    {
      ...{ assetGid: 'x', symbol: null, decimals: 2, opening: reading(10, 100n), isOpeningLate: false },
      ...{ closing: reading(20, 105n), checkedAt: null },
    },
    { address: 'a', chainGid: 'c', isOfCoins },
  );

/** As read-explained.ts of the balance service: proved coins hold nothing unproved, a node's balance may. */
it.each([
  ['a proved transfer', true, {}, true],
  ['an attested transfer', true, { verification: 'attested' }, true],
  ['a transfer whose evidence follows', true, { verification: 'settling' }, true],
  ['an unproved transfer of coins', true, { verification: 'unproved' }, false],
  ['an unproved transfer, where a node states balances', false, { verification: 'unproved' }, true],
  ['what a proved block did', false, { kind: 'change', reason: 'reward', hash: null }, true],
  [
    'what an unproved block says',
    false,
    { kind: 'change', reason: 'reward', hash: null, verification: 'unproved' },
    false,
  ],
  ['the block of the opening reading', false, { block_number: 10 }, false],
  ['the block of the closing reading', false, { block_number: 20 }, true],
  ['what is later than the closing reading', false, { block_number: 21 }, false],
] as const)('decides whether %s counts', (_, isOfCoins, change, isCounted) => {
  const tally = tallyOf(isOfCoins);
  expect(tally.add(entry(change))).toBe(isCounted);
  const [balance] = tally.close();
  expect(balance).toMatchObject({
    ...{ explained_raw: isCounted ? '5' : '0', unexplained_raw: isCounted ? '0' : '5' },
    unexplained: isCounted ? '0' : '0.05',
  });
});
