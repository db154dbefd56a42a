// SPDX-License-Identifier: Apache-2.0
import { EVENT_SCHEMAS, eventIdOf, type EventEnvelope } from '@chainwatch/events';
import { waitFor } from '@chainwatch/testing';
import type { SpecScript } from './spec-script.ts';

/** Checks that block rows are right, and that every event was written, numbered, and published once. */
export async function checkEvents<Payment>(script: SpecScript<Payment>): Promise<void> {
  const { world, projects } = script;
  const blocks = await world.rows(
    'SELECT hash, status FROM canonical_blocks($1, 0, 1000000) ORDER BY number',
    [world.gid],
  );
  expect(blocks).toEqual(
    script.canonical.map(({ hash, number }) => ({
      hash,
      status: number <= script.finalized ? 'confirmed' : 'processed',
    })),
  );

  const events = await world.rows<{
    event_id: string;
    project_id: string;
    type: string;
    sequence: number | null;
    payload: string;
    transaction_id: string;
    is_held: boolean;
  }>('SELECT * FROM event_log ORDER BY id');
  expect(
    events
      .filter((event) => event.project_id === projects[0])
      .map((event) => event.event_id)
      .sort(),
  ).toEqual([...script.expectedIds].sort());
  for (const projectId of projects) {
    const sequences = events
      .filter((event) => event.project_id === projectId && event.sequence !== null)
      .map((event) => event.sequence);
    expect(sequences).toEqual(sequences.map((_, position) => position + 1));
  }
  const rows = await world.rows<SpecRecord>(
    'SELECT id, status, epoch, is_failed, confirmation_depth FROM transactions',
  );
  for (const row of rows)
    checkOrder(
      row,
      events.filter((event) => event.transaction_id === row.id),
    );
  checkConfirmations(events, rows);
  for (const event of events)
    EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload));
  expect(events.some((event) => event.is_held)).toBe(false);
  const told = events.filter((event) => event.sequence !== null);
  for (const { sequence, type, payload } of events)
    if (sequence === null)
      expect([type, JSON.parse(payload)]).toMatchObject(['transaction.confirmed', { is_historical: true }]);
  const missing = () =>
    told.filter((event) => !world.bus.published.some(({ messageId }) => messageId === event.event_id));
  await waitFor(() => missing().length === 0, {
    message: () => `every event to be published, but ${JSON.stringify(missing()).slice(0, 4_000)}`,
  });
  const known = new Map(told.map((event) => [event.event_id, JSON.parse(event.payload) as unknown]));
  for (const { messageId, payload } of world.bus.published) expect(payload).toEqual(known.get(messageId));
}

/** A row of transactions. */
interface SpecRecord {
  readonly id: string;
  readonly status: string;
  readonly epoch: number;
  readonly is_failed: boolean;
  readonly confirmation_depth: number | null;
}

/** The events of a record come in an order that makes sense, and end with its status. */
function checkOrder(row: SpecRecord, events: readonly { readonly type: string }[]): void {
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
function checkConfirmations(
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
