// SPDX-License-Identifier: Apache-2.0
import { compareUpgrades, findOverdue, timeOfUpgrade, type Upgrade } from '@chainwatch/chain-core';

const AHEAD_MS = 30 * 86_400_000;

/** What a release has to know of the calendar today: `faults` forbid it. */
export function listCalendarFaults(
  upgrades: readonly Upgrade[],
  nowMs: number,
): { readonly faults: readonly string[]; readonly warnings: readonly string[] } {
  const overdue = new Set(findOverdue(upgrades, nowMs));
  const coming = upgrades.filter((row) => {
    const atMs = timeOfUpgrade(row);
    return row.state === 'not' && atMs !== undefined && !overdue.has(row) && atMs - nowMs <= AHEAD_MS;
  });
  const print = (row: Upgrade): string =>
    `${row.network}: ${row.name}, ${row.date}${row.state === 'not' ? `: ${row.reason}` : ''}`;
  return {
    faults: [...overdue].sort(compareUpgrades).map(print),
    warnings: coming.sort(compareUpgrades).map(print),
  };
}
