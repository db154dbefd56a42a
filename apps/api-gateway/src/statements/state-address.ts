// SPDX-License-Identifier: Apache-2.0
import { formatKnownAmount } from '@chainwatch/amounts';
import type { Sql } from '@chainwatch/db';
import { BalanceTally } from './balance-tally.ts';
import { readAccounts } from './read-accounts.ts';
import { readEntries, type Entry } from './read-entries.ts';
import type { StatedAddress } from './stated-address.ts';
import type { StatedWindow } from './stated-chain.ts';
import type { AdjustmentLine, MovementLine, StatementLine } from './statement-lines.ts';

/**
 * What an address did on a chain: its movements in the order of blocks, adjustments beside them, and where a reading begins
 * to differ from them; then its balances. The caller's transaction is one snapshot: movements and readings fit together.
 */
export async function* stateAddress(
  sql: Sql,
  address: StatedAddress,
  window: StatedWindow,
): AsyncGenerator<StatementLine, void> {
  const { chain, openNumber, closeNumber } = window;
  const chainGid = chain.gid;
  const accounts = await readAccounts(sql, address, window);
  const owner = { address: address.display, chainGid, isOfCoins: chain.isOfCoins };
  const tallies = new Map(accounts.map((account) => [account.assetGid, new BalanceTally(account, owner)]));
  const openings = accounts.flatMap(({ assetGid, opening, isOpeningLate }) =>
    opening === undefined || isOpeningLate ? [] : [{ assetGid, number: opening.number }],
  );
  for await (const rows of readEntries(sql, address, { chainGid, openNumber, closeNumber, openings }))
    for (const entry of rows) {
      const tally = tallies.get(entry.asset_gid) ?? new BalanceTally(withoutReading(entry), owner);
      tallies.set(entry.asset_gid, tally);
      yield* takeEntry(tally, entry, owner);
    }
  for (const tally of tallies.values()) yield* tally.close();
}

/** A token that moved, and whose balance nobody has read yet. */
const withoutReading = ({ asset_gid: assetGid, symbol, decimals }: Entry): BalanceTally['account'] => ({
  ...{ assetGid, symbol, decimals, opening: undefined, isOpeningLate: false, closing: undefined },
  checkedAt: null,
});

function* takeEntry(
  tally: BalanceTally,
  entry: Entry,
  { address, chainGid }: { readonly address: string; readonly chainGid: string },
): Generator<StatementLine, void> {
  const of = { address, chain_gid: chainGid, asset_gid: entry.asset_gid };
  const amount = {
    amount: formatKnownAmount(BigInt(entry.amount_raw), entry.decimals),
    amount_raw: entry.amount_raw,
  };
  switch (entry.kind) {
    case 'reading': {
      const gap = tally.compare(entry);
      if (gap !== undefined) yield gap;
      return;
    }
    case 'adjustment':
      tally.adjust(entry);
      yield {
        ...{ type: 'adjustment', ...of, ...amount, since_block: entry.since_block! },
        ...{ until_block: entry.block_number, block_hash: entry.block_hash },
      } satisfies AdjustmentLine;
      return;
    case 'transfer':
    case 'change':
      yield {
        ...{ type: 'movement', ...of, reason: entry.reason!, ...amount },
        ...{ from: entry.from_address, to: entry.to_address },
        ...{ block_number: entry.block_number, block_hash: entry.block_hash },
        block_time: entry.block_time?.toISOString() ?? null,
        ...{ transaction_hash: entry.hash, transfer_index: entry.transfer_index, event_id: entry.event_id },
        ...{ verification: entry.verification, status: entry.status, is_counted: tally.add(entry) },
      } satisfies MovementLine;
  }
}
