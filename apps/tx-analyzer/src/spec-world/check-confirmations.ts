import { eventIdOf, type EventEnvelope } from '@chainwatch/events';

/** Nothing is confirmed with fewer confirmations than its project waits for, and no number is told twice. */
export function checkConfirmations(
  events: readonly { readonly type: string; readonly transaction_id: string; readonly payload: string }[],
  depths: ReadonlyMap<string, number | null>,
): void {
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
