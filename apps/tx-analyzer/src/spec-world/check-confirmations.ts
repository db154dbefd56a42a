// SPDX-License-Identifier: Apache-2.0
import { eventIdOf, type EventEnvelope } from '@chainwatch/events';

/** A row of transactions. */
export interface SpecRecord {
  readonly id: string;
  readonly status: string;
  readonly epoch: number;
  readonly is_failed: boolean;
  readonly confirmation_depth: number | null;
}

/** The events of a record come in an order that makes sense, and end with its status. */
export function checkOrder(row: SpecRecord, events: readonly { readonly type: string }[]): void {
  const own = events.map((event) => event.type.slice('transaction.'.length));
  // Of a transaction that failed before its address was watched, nobody is told.
  expect(own.join(' ')).toMatch(
    /^((detected( progress)*( confirmed)?|confirmed|failed|) ?reorged )*(((detected( progress)*( confirmed)?)|confirmed|failed|)( ?reorged)?)$/,
  );
  expect(own.filter((type) => type === 'reorged')).toHaveLength(row.epoch);
  if (own.length > 0 || !row.is_failed)
    expect(own.filter((type) => type !== 'progress').at(-1)).toBe(row.status);
}

/** Nothing is confirmed with fewer confirmations than its project waits for, and no number is told twice. */
export function checkConfirmations(
  events: readonly { readonly type: string; readonly transaction_id: string; readonly payload: string }[],
  rows: readonly SpecRecord[],
): void {
  const depths = new Map(rows.map((row) => [row.id, row.confirmation_depth]));
  const told = new Set<string>();
  for (const { type, transaction_id: id, payload } of events) {
    const event = JSON.parse(payload) as EventEnvelope<'transaction.confirmed'>;
    const { hash, confirmations, required_confirmations: required } = event.data.transaction;
    const depth = depths.get(id) ?? null;
    if (depth !== null) expect(required).toBe(depth);
    if (type === 'transaction.confirmed') expect(confirmations).toBeGreaterThanOrEqual(depth ?? 1);
    if (type !== 'transaction.progress') continue;
    expect(confirmations).toBeLessThanOrEqual(required);
    const eventIds = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((epoch) =>
      eventIdOf({
        projectId: event.project_id,
        type,
        chainGid: event.data.transaction.chain_gid,
        hash,
        epoch,
        confirmations,
      }),
    );
    expect(eventIds).toContain(event.event_id);
    told.add(event.event_id);
  }
  expect(told.size).toBe(events.filter(({ type }) => type === 'transaction.progress').length);
}
