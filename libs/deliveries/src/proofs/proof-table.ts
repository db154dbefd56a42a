// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import type { TransactionInBlock } from './proof-parts.ts';

/** Asks for proofs that nobody has asked for yet, one of an event. */
export async function requestProofs(
  db: Sql,
  wanted: readonly (TransactionInBlock & { readonly eventId: string })[],
): Promise<void> {
  if (wanted.length === 0) return;
  await db.query(
    `INSERT INTO proof_requests (event_id, chain_gid, transaction_hash, block_number, block_hash)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[]) ON CONFLICT (event_id) DO NOTHING`,
    [
      wanted.map(({ eventId }) => eventId),
      wanted.map(({ chainGid }) => chainGid),
      wanted.map(({ hash }) => hash),
      wanted.map(({ blockNumber }) => blockNumber),
      wanted.map(({ blockHash }) => blockHash),
    ],
  );
}

/** What was answered of these: by event, JSON; null where no node gave a proof. */
export async function readAnswers(
  db: Sql,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await db.query<{ event_id: string; proof: string | null }>(
    'SELECT event_id, proof FROM proof_requests WHERE event_id = ANY($1::uuid[]) AND answered_at IS NOT NULL',
    [eventIds],
  );
  return new Map(rows.map(({ event_id: eventId, proof }) => [eventId, proof]));
}

/** Stores what deliveries send. One that has it already, or that was tried, keeps its bytes. */
export async function storeProofs(
  db: Sql,
  proofs: readonly { readonly deliveryId: string; readonly proof: string }[],
): Promise<void> {
  await db.query(
    `UPDATE deliveries d SET proof = u.proof FROM unnest($1::uuid[], $2::text[]) AS u (id, proof)
     WHERE d.id = u.id AND d.proof IS NULL AND d.attempt_count = 0`,
    [proofs.map(({ deliveryId }) => deliveryId), proofs.map(({ proof }) => proof)],
  );
}
