// SPDX-License-Identifier: Apache-2.0
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { waitFor } from '@chainwatch/testing';
import { checkConfirmations, checkOrder, type SpecRecord } from './check-confirmations.ts';
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
