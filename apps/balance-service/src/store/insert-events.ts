// SPDX-License-Identifier: Apache-2.0
import { formatKnownAmount } from '@chainwatch/common/amounts';
import type { Sql } from '@chainwatch/data/db';
import { balanceEventIdOf, describeAddresses, type EventEnvelope, type OwnData } from '@chainwatch/events';
import { allocateSequences, isNewEvent, type OutgoingEvent } from '@chainwatch/data/outbox';
import type { VerifiedChange } from '../plan/plan-changes.ts';

/** A row of the outbox. */
export interface BalanceEvent extends OutgoingEvent {
  readonly subject: 'balance.changed';
  readonly envelope: EventEnvelope<'balance.changed'>;
  readonly payload: string;
}

/** A change of a balance, with what its user says of the address. */
type OwnChange = VerifiedChange & { readonly own: OwnData };

interface Occasion {
  readonly chainGid: string;
  readonly confirmedNumber: number;
  readonly now: Date;
}

/** Writes `balance.changed` events into the outbox, in order. */
export async function insertEvents(
  sql: Sql,
  changes: readonly OwnChange[],
  occasion: Occasion,
): Promise<BalanceEvent[]> {
  const { chainGid, now } = occasion;
  if (changes.length === 0) return [];
  const sequences = await allocateSequences(
    sql,
    chainGid,
    changes.map(({ reading }) => reading.projectId),
  );
  const events = changes.map((change, position) => toEvent(change, sequences[position]!, occasion));
  await sql.query({
    name: 'insert_balance_events',
    text: `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, traceparent, created_at)
     SELECT t.event_id, t.project_id, $1, 'balance.changed', t.sequence, 'balance.changed', t.payload, t.traceparent, $7
     FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[]) WITH ORDINALITY AS t (event_id, project_id, sequence, payload, traceparent, position)
     WHERE ${isNewEvent('t.event_id')} ORDER BY t.position ON CONFLICT DO NOTHING`,
    values: [
      chainGid,
      events.map((event) => event.eventId),
      events.map((event) => event.projectId),
      events.map((event) => event.envelope.sequence),
      events.map((event) => event.payload),
      events.map((event) => event.traceparent ?? null),
      now,
    ],
  });
  return events;
}

function toEvent(
  change: OwnChange,
  sequence: number,
  { chainGid, confirmedNumber, now }: Occasion,
): BalanceEvent {
  const { reading, previousRaw, changeCount, verification, own } = change;
  const { addressId, projectId, assetGid, decimals, traceparent } = reading;
  const deltaRaw = previousRaw === undefined ? undefined : reading.amountRaw - previousRaw;
  const envelope: EventEnvelope<'balance.changed'> = {
    event_id: balanceEventIdOf({
      projectId,
      chainGid,
      addressId,
      assetGid,
      changeCount,
      blockHash: reading.block.hash,
      amountRaw: reading.amountRaw,
    }),
    type: 'balance.changed',
    api_version: 'v1',
    created_at: now.toISOString(),
    is_test_message: false,
    project_id: projectId,
    sequence,
    data: {
      address_id: addressId,
      address: reading.display,
      chain_gid: chainGid,
      asset_gid: assetGid,
      previous: previousRaw === undefined ? null : formatKnownAmount(previousRaw, decimals),
      current: formatKnownAmount(reading.amountRaw, decimals),
      delta: deltaRaw === undefined ? null : formatKnownAmount(deltaRaw, decimals),
      current_raw: String(reading.amountRaw),
      delta_raw: deltaRaw === undefined ? null : String(deltaRaw),
      changes: toRecords(change),
      block_number: reading.block.number,
      block_hash: reading.block.hash,
      is_confirmed: reading.block.number <= confirmedNumber,
      verification,
      addresses: describeAddresses([{ id: addressId, display: reading.display, own: own }]),
    },
  };
  return {
    eventId: envelope.event_id,
    subject: 'balance.changed',
    projectId,
    chainGid,
    envelope,
    payload: JSON.stringify(envelope),
    traceparent,
  };
}

function toRecords({
  reading: { decimals, block },
  reasons,
  since,
}: OwnChange): EventEnvelope<'balance.changed'>['data']['changes'] {
  return reasons.map(({ reason, amountRaw }) => ({
    reason,
    amount: formatKnownAmount(amountRaw, decimals),
    amount_raw: amountRaw.toString(),
    ...(reason === 'adjustment' && { since_block: since, until_block: block.number }),
  }));
}
