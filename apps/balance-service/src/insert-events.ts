import { formatAmount } from '@chainwatch/amounts';
import type { Sql } from '@chainwatch/db';
import { balanceEventIdOf, type EventEnvelope } from '@chainwatch/events';
import type { OutgoingEvent } from '@chainwatch/outbox';
import type { Change } from './plan-change.ts';

/** A row of the outbox. */
export interface BalanceEvent extends OutgoingEvent {
  readonly subject: 'balance.changed';
  readonly envelope: EventEnvelope<'balance.changed'>;
  readonly payload: string;
}

/** Writes `balance.changed` events into the outbox, in order. */
export async function insertEvents(sql: Sql, chainGid: string, changes: readonly Change[], confirmedNumber: number, now: Date): Promise<BalanceEvent[]> {
  if (changes.length === 0) return [];
  const next = await takeSequences(sql, chainGid, changes);
  const events = changes.map((change) => {
    const { projectId } = change.reading;
    const sequence = next.get(projectId)!;
    next.set(projectId, sequence + 1);
    return toEvent(chainGid, change, sequence, confirmedNumber, now);
  });
  await sql.query(
    `INSERT INTO events (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, traceparent)
     SELECT t.event_id, t.project_id, $1, 'balance.changed', t.sequence, 'balance.changed', t.payload, t.traceparent
     FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[]) WITH ORDINALITY AS t (event_id, project_id, sequence, payload, traceparent, position)
     ORDER BY t.position ON CONFLICT (event_id) DO NOTHING`,
    [
      chainGid, events.map((event) => event.eventId), events.map((event) => event.projectId), events.map((event) => event.envelope.sequence),
      events.map((event) => event.payload), events.map((event) => event.traceparent ?? null),
    ],
  );
  return events;
}

/** The first free sequence of each project, after taking as many as it has changes. Locked until the transaction ends, in the order of project ids. */
async function takeSequences(sql: Sql, chainGid: string, changes: readonly Change[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { reading } of changes) counts.set(reading.projectId, (counts.get(reading.projectId) ?? 0) + 1);
  const { rows } = await sql.query<{ project_id: string; value: number }>(
    `INSERT INTO project_sequences (project_id, chain_gid, value)
     SELECT project_id, $1, count FROM unnest($2::uuid[], $3::bigint[]) AS n (project_id, count) ORDER BY project_id
     ON CONFLICT (project_id, chain_gid) DO UPDATE SET value = project_sequences.value + excluded.value RETURNING project_id, value`,
    [chainGid, [...counts.keys()], [...counts.values()]],
  );
  return new Map(rows.map(({ project_id, value }) => [project_id, value - counts.get(project_id)! + 1]));
}

function toEvent(chainGid: string, change: Change, sequence: number, confirmedNumber: number, now: Date): BalanceEvent {
  const { reading, previousRaw, changeCount } = change;
  const { addressId, projectId, assetGid, decimals, traceparent } = reading;
  const envelope: EventEnvelope<'balance.changed'> = {
    event_id: balanceEventIdOf({ projectId, chainGid, addressId, assetGid, changeCount }),
    type: 'balance.changed',
    api_version: 'v1',
    created_at: now.toISOString(),
    is_test_message: false,
    project_id: projectId,
    sequence,
    data: {
      address_id: addressId,
      address: reading.address,
      chain_gid: chainGid,
      asset_gid: assetGid,
      previous: previousRaw === undefined ? null : formatAmount(previousRaw, decimals),
      current: formatAmount(reading.amountRaw, decimals),
      delta: previousRaw === undefined ? null : formatAmount(reading.amountRaw - previousRaw, decimals),
      block_number: reading.block.number,
      block_hash: reading.block.hash,
      is_confirmed: reading.block.number <= confirmedNumber,
    },
  };
  return { eventId: envelope.event_id, subject: 'balance.changed', projectId, chainGid, envelope, payload: JSON.stringify(envelope), traceparent };
}
