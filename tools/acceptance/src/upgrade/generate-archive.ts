// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@chainwatch/data/db';

const ROWS = 200_000;
const QUEUES = ['undispatched_events', 'unpublished_events'];
/** Of the rows, those that have an event and a delivery. */
const EVENTS = 100_000;
/** A statement of each kind takes so many, within the time that one may take. */
const PART = 20_000;

const hash = (row: string): string => `'0x' || md5('archive' || ${row}) || md5(${row}::text)`;
const address = (row: string): string => `'0x' || md5('archived' || ${row}) || '00000000'`;

/** For the rows from $2 to $3 of the project $1. */
const ADDRESSES = `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format, label, is_monitored, imported_at)
  SELECT gen_random_uuid(), $1, 'evm', ${address('n')}, ${address('n')}, 'external', 'evm', 'Customer ' || n, false, now() FROM generate_series($2::int, $3::int) n`;
const TRANSACTIONS = `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, is_failed, block_number, block_hash, block_timestamp, tx_index, required_confirmations, detected_at, confirmed_at, amount_max)
  SELECT gen_random_uuid(), $1, $4, ${hash('n')}, 'confirmed', 'in', false, 1, ${hash('1')}, now(), n, 12, now(), now(), 1 FROM generate_series($2::int, $3::int) n`;
const TRANSFERS = `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses, detected_at)
  SELECT t.id, 0, t.project_id, t.chain_gid, 'native', $4, ${address('0')}, ${address('t.tx_index')}, 10 ^ 18, ARRAY[${address('t.tx_index')}], t.detected_at
  FROM transactions t WHERE t.project_id = $1 AND t.tx_index BETWEEN $2 AND $3`;
const LINKS = `INSERT INTO transaction_addresses (address_id, transaction_id, detected_at, block_position)
  SELECT a.id, t.id, t.detected_at, 1 FROM transactions t JOIN addresses a ON a.project_id = t.project_id AND a.address = ${address('t.tx_index')}
  WHERE t.project_id = $1 AND t.tx_index BETWEEN $2 AND $3`;
const EVENT_LOG = `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, transaction_id, subject_kind, payload)
  SELECT t.id, t.project_id, t.chain_gid, 'transaction.detected', t.tx_index, t.id, 'tx.detected', json_build_object('event_id', t.id, 'type', 'transaction.detected')::text
  FROM transactions t WHERE t.project_id = $1 AND t.tx_index BETWEEN $2 AND $3`;
/** They are sent and published already. */
const dequeue = (table: string): string =>
  `DELETE FROM ${table} q USING event_log e WHERE e.id = q.event_row_id AND e.project_id = $1 AND e.sequence BETWEEN $2 AND $3`;
const DELIVERIES = `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, attempt_count, delivered_at)
  SELECT gen_random_uuid(), e.project_id, c.id, e.event_id, e.type, 'delivered', 1, now() FROM event_log e JOIN notification_channels c USING (project_id)
  WHERE e.project_id = $1 AND e.sequence BETWEEN $2 AND $3`;

/**
 * A project with generated rows of final transactions, as release 0.1.0 keeps them: over a million, which an upgrade has to
 * carry.
 */
export async function generateArchive(db: Database, chainGid: string, nativeGid: string): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `INSERT INTO projects (id, workspace_id, name) SELECT gen_random_uuid(), workspace_id, 'Archive' FROM projects ORDER BY created_at LIMIT 1 RETURNING id`,
  );
  const projectId = rows[0]!.id;
  await db.query(
    `INSERT INTO notification_channels (id, project_id, kind, name, config, is_archived) VALUES (gen_random_uuid(), $1, 'webhook', 'Archive',
       '{"url": "https://example.com/hook", "headers": {}, "auth": {"type": "none"}, "event_types": ["transaction.detected"], "filters": {}, "throttle_per_second": null}', true)`,
    [projectId],
  );
  for (let first = 1; first <= ROWS; first += PART) {
    const part = [projectId, first, first + PART - 1];
    await db.query(ADDRESSES, part);
    await db.query(TRANSACTIONS, [...part, chainGid]);
    await db.query(TRANSFERS, [...part, nativeGid]);
    await db.query(LINKS, part);
    if (first > EVENTS) continue;
    for (const statement of [EVENT_LOG, DELIVERIES, ...QUEUES.map(dequeue)]) await db.query(statement, part);
  }
}
