// SPDX-License-Identifier: Apache-2.0
import { matchGroup, type BookedRow, type Match } from './match-group.ts';
import type { MovedTransaction, Movement } from './read-movements.ts';

/** A row with the address and the asset that it names. */
export interface PlacedRow extends BookedRow {
  readonly address: string;
  readonly assetGid: string;
}

/** What came of a row. */
export interface Outcome {
  readonly id: string;
  readonly class: 'matched' | 'unconfirmed' | 'amount_differs' | 'duplicate' | 'missing_on_chain';
  readonly reason: string | null;
  readonly moved: bigint | undefined;
  readonly firstLine: number | undefined;
}

/** Matches the rows that name a transaction. @param rows in the order of their lines */
export function matchTransaction(
  rows: readonly PlacedRow[],
  transaction: MovedTransaction,
): { readonly outcomes: Outcome[]; readonly unclaimed: Movement[] } {
  const groups = new Map<string, { readonly rows: PlacedRow[]; readonly movements: Movement[] }>();
  const groupOf = ({ address, assetGid }: { readonly address: string; readonly assetGid: string }) => {
    const key = `${assetGid} ${address}`;
    const group = groups.get(key) ?? { rows: [], movements: [] };
    groups.set(key, group);
    return group;
  };
  for (const row of rows) groupOf(row).rows.push(row);
  for (const movement of transaction.movements) groupOf(movement).movements.push(movement);
  const outcomes: Outcome[] = [];
  const unclaimed: Movement[] = [];
  for (const group of groups.values()) {
    const matched = matchGroup(group.rows, group.movements);
    const isMoved = group.movements.some(({ side }) => side !== 'fee');
    outcomes.push(...matched.matches.map((match) => judge(match, transaction, isMoved)));
    unclaimed.push(...matched.unclaimed);
  }
  return { outcomes, unclaimed };
}

function judge(
  { row: { id }, isEqual, moved, firstLine }: Match,
  transaction: MovedTransaction,
  isMoved: boolean,
): Outcome {
  const { pending } = transaction;
  if (firstLine !== undefined) {
    const reason = `repeated: line ${firstLine} names the same movement`;
    return { id, class: 'duplicate', reason, moved, firstLine };
  }
  if (moved === undefined)
    return { id, class: 'missing_on_chain', reason: describeAbsence(transaction, isMoved), moved, firstLine };
  const isOpen = pending !== null && (isEqual || pending.startsWith('reorged'));
  const name = isOpen ? 'unconfirmed' : isEqual ? 'matched' : 'amount_differs';
  return { id, class: name, reason: pending, moved, firstLine };
}

function describeAbsence({ isFailed, isDropped }: MovedTransaction, isMoved: boolean): string {
  if (isDropped) return 'dropped: the transaction is in no block any more';
  if (isFailed) return 'failed: the transaction moved nothing';
  return isMoved
    ? 'direction: the transaction moves this asset the other way'
    : 'movement: the transaction does not move this asset at this address';
}
