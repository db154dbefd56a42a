import { formatAmount } from '@chainwatch/amounts';
import type { Sql } from '@chainwatch/db';
import { balanceEventIdOf, uuidv5, type EventEnvelope } from '@chainwatch/events';
import type { Change } from './plan-change.ts';

/** A committed row of the outbox. */
export interface BalanceEvent {
  readonly eventId: string;
  readonly subject: 'balance.changed';
  readonly projectId: string;
  readonly chainGid: string;
  readonly payload: string;
  readonly envelope: EventEnvelope<'balance.changed'>;
  readonly traceparent: string | undefined;
}

/** Writes balances, history, adjustments and events; part of the transaction that removes the work. Returns the events. */
export async function storeChanges(sql: Sql, chainGid: string, changes: readonly Change[], confirmedNumber: number, now: Date): Promise<BalanceEvent[]> {
  if (changes.length === 0) return [];
  const ids = changes.map(({ reading }) => reading.addressId);
  const assets = changes.map(({ reading }) => reading.assetGid);
  await sql.query(
    `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash, is_confirmed, change_count)
     SELECT t.address_id, t.asset_gid, $1, t.amount_raw, t.number, t.hash, t.number <= $2, t.change_count
     FROM unnest($3::uuid[], $4::text[], $5::numeric[], $6::bigint[], $7::text[], $8::bigint[]) AS t (address_id, asset_gid, amount_raw, number, hash, change_count)
     ORDER BY t.address_id, t.asset_gid
     ON CONFLICT (address_id, asset_gid) DO UPDATE SET amount_raw = excluded.amount_raw, block_number = excluded.block_number, block_hash = excluded.block_hash,
       is_confirmed = excluded.is_confirmed, change_count = excluded.change_count, updated_at = now()`,
    [chainGid, confirmedNumber, ids, assets, changes.map(({ reading }) => reading.amountRaw), changes.map(({ block }) => block.number), changes.map(({ block }) => block.hash), changes.map((change) => change.changeCount)],
  );
  await insertHistory(sql, chainGid, changes.filter((change) => change.isAnchor));
  await insertAdjustments(sql, chainGid, changes.filter((change) => change.adjustmentRaw !== 0n));
  return insertEvents(sql, chainGid, changes.filter((change) => change.isTold), confirmedNumber, now);
}

async function insertHistory(sql: Sql, chainGid: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await sql.query(
    `INSERT INTO balance_history (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw)
     SELECT t.address_id, t.asset_gid, $1, t.number, t.hash, t.amount_raw
     FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::numeric[]) AS t (address_id, asset_gid, number, hash, amount_raw)
     ON CONFLICT (address_id, asset_gid, block_number, block_hash) DO UPDATE SET amount_raw = excluded.amount_raw`,
    [chainGid, changes.map(({ reading }) => reading.addressId), changes.map(({ reading }) => reading.assetGid), changes.map(({ reading }) => reading.block.number), changes.map(({ reading }) => reading.block.hash), changes.map(({ reading }) => reading.amountRaw)],
  );
}

async function insertAdjustments(sql: Sql, chainGid: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const idOf = ({ reading }: Change): string => uuidv5(['adjustment', reading.addressId, reading.assetGid, reading.block.hash].join('|'));
  await sql.query(
    `INSERT INTO adjustments (id, address_id, project_id, chain_gid, asset_gid, amount_raw, from_block, block_number, block_hash)
     SELECT t.id, t.address_id, t.project_id, $1, t.asset_gid, t.amount_raw, t.from_block, t.number, t.hash
     FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::numeric[], $7::bigint[], $8::bigint[], $9::text[])
       AS t (id, address_id, project_id, asset_gid, amount_raw, from_block, number, hash)
     ON CONFLICT (id) DO UPDATE SET amount_raw = adjustments.amount_raw + excluded.amount_raw`,
    [chainGid, changes.map(idOf), changes.map(({ reading }) => reading.addressId), changes.map(({ reading }) => reading.projectId), changes.map(({ reading }) => reading.assetGid), changes.map((change) => change.adjustmentRaw), changes.map((change) => change.adjustedSince), changes.map(({ reading }) => reading.block.number), changes.map(({ reading }) => reading.block.hash)],
  );
}

async function insertEvents(sql: Sql, chainGid: string, changes: readonly Change[], confirmedNumber: number, now: Date): Promise<BalanceEvent[]> {
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
    [chainGid, events.map((event) => event.eventId), events.map((event) => event.projectId), events.map((event) => event.envelope.sequence), events.map((event) => event.payload), events.map((event) => event.traceparent ?? null)],
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
  const { addressId, projectId, assetGid, decimals } = reading;
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
  return { eventId: envelope.event_id, subject: 'balance.changed', projectId, chainGid, envelope, payload: JSON.stringify(envelope), traceparent: reading.traceparent };
}
