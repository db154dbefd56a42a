// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { RowCounts } from '../attempts/channel-queue.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import { withProof } from '../proofs/proof-parts.ts';
import { parseRehearsal } from '../rehearsal.ts';
import { orderedRows, ORDERED, randomKey } from './ordered-rows.ts';

// The statements over the table of deliveries as a queue. Its partial indexes are named after these conditions.

/** Two hex digits, the first byte of the ids of channels that this replica owns; undefined: all of them. */
export type Partitions = readonly string[] | undefined;

/** @param parameter the number of the parameter that holds the partitions, or null */
export function inPartitions(column: string, parameter: number): string {
  return `($${parameter}::text[] IS NULL OR left(${column}::text, 2) = ANY($${parameter}))`;
}

/** Nothing was tried yet that counts. */
const UNTRIED = `status IN ('pending', 'held') AND attempt_count = 0 AND NOT is_test`;
const AGAIN = `status IN ('pending', 'held') AND (attempt_count > 0 OR is_test)`;
/** What is held is due as soon as its channel is open. */
const IS_DUE = `(status = 'held' OR next_attempt_at <= now())`;
const COLUMNS = `id, status, event_id, event_type, attempt_count, attempt_base, is_test, is_historical, next_attempt_at, proof, ordering_key, rehearsal`;
/** The event of a delivery `d`. Row by row (OFFSET 0): the planner counts every day of events for each row, not the one that it is in. */
const WITH_EVENT = `CROSS JOIN LATERAL (SELECT l.payload, l.traceparent, l.created_at AS event_at
  FROM event_keys k JOIN event_log l ON l.id = k.row_id WHERE k.event_id = d.event_id OFFSET 0) e`;

/** Greater than every id of a row. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

interface DeliveryRow {
  readonly id: string;
  readonly status: 'pending' | 'held';
  readonly channel_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly payload: string;
  readonly traceparent: string | null;
  readonly attempt_count: number;
  readonly attempt_base: number;
  readonly next_attempt_at: Date;
  readonly event_at: Date;
  readonly is_test: boolean;
  readonly is_historical: boolean;
  readonly proof: string | null;
  readonly rehearsal: string | null;
  readonly ordering_key: number | null;
  /** Of claims: whether its channel has a strict order now. */
  readonly is_strict?: boolean | null;
  /** Of probes: it goes in place of an older one. */
  readonly is_extra?: boolean;
}

/**
 * The next deliveries of open channels, each channel's in order. First attempts never pass over an older one: one that
 * waits, because its receiver asked for it or because a replica of release 0.1.0 has it, holds back those behind it. Only
 * what waits for a fault of our own is passed by. What has a strict order comes as `orderedRows` says, as first attempts; older
 * rows of such a channel, from before its order was strict, as in other channels. The rows stay as they are: what is under way stands in the memory of the
 * channel's owner alone.
 * @param underWay ids of the channels' rows that the owner has
 */
export async function claimDeliveries(
  planned: Sql,
  claims: readonly ({ readonly channelId: string; readonly run?: number } & RowCounts)[],
  underWay: readonly string[],
): Promise<readonly DeliveryJob[]> {
  const rowsOf = `FROM deliveries WHERE channel_id = c.channel_id AND id <> ALL($4::uuid[])`;
  const isOlder = `id < coalesce(o.first_id, '${LAST_ID}')`;
  const untried = `${rowsOf} AND ${isOlder} AND ${UNTRIED}`;
  // Not as a condition of an index: the planner would use one without the order of what is tried again.
  const again = `${rowsOf} AND (${isOlder}) IS NOT FALSE AND ${AGAIN} AND NOT is_test`;
  const { rows } = await planned.query<DeliveryRow>({
    name: 'claim_deliveries',
    text: `SELECT c.channel_id, s.is_strict, d.*, e.*
      FROM unnest($1::uuid[], $2::int[], $3::int[], $5::int[]) AS c (channel_id, first, behind, run)
      JOIN notification_channels n ON n.id = c.channel_id AND n.status = 'active' AND NOT n.is_archived
      CROSS JOIN LATERAL (SELECT n.config ->> 'ordering' = 'strict' AS is_strict) s
      LEFT JOIN LATERAL (SELECT id AS first_id FROM deliveries WHERE s.is_strict AND channel_id = c.channel_id AND ${ORDERED} ORDER BY id LIMIT 1) o ON true
      CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM (
          SELECT *, bool_and(is_due) OVER (ORDER BY id) AS is_next FROM (
            SELECT ${COLUMNS}, ${IS_DUE} AS is_due ${untried} AND NOT is_historical
              AND (${IS_DUE} OR last_error IS DISTINCT FROM 'internal_error') ORDER BY id LIMIT c.first) oldest) f WHERE is_next
        UNION ALL (SELECT ${COLUMNS} ${again} AND status = 'held' ORDER BY next_attempt_at, id LIMIT c.behind)
        UNION ALL (SELECT ${COLUMNS} ${again} AND status = 'pending' AND next_attempt_at <= now() ORDER BY next_attempt_at, id LIMIT c.behind)
        UNION ALL (SELECT ${COLUMNS} ${untried} AND is_historical AND ${IS_DUE} ORDER BY id LIMIT c.behind)
        UNION ALL (${orderedRows(COLUMNS, IS_DUE)} LIMIT c.first)) d
      ${WITH_EVENT}`,
    values: [
      claims.map(({ channelId }) => channelId),
      claims.map(({ first }) => first),
      claims.map(({ behind }) => behind),
      underWay,
      claims.map(({ run = 1 }) => run),
      randomKey(),
    ],
  });
  return toJobs(rows, false);
}

export interface DueChannel {
  readonly id: string;
  /** It has deliveries that may be sent. */
  readonly isDue: boolean;
  readonly hasTests: boolean;
  /** It was closed while deliveries were stored as pending. */
  readonly isToBeHeld: boolean;
}

/**
 * Channels of these partitions with something to do, whatever it is that made it so: a time that came, a channel that is
 * open again, a customer who asked for it. It goes from channel to channel in the indexes, so that what many channels have
 * done costs nothing.
 */
export async function findDueChannels(planned: Sql, partitions: Partitions): Promise<readonly DueChannel[]> {
  const each = (name: string, condition: string): string => `${name} (channel_id) AS (
      (SELECT channel_id FROM deliveries WHERE ${condition} ORDER BY channel_id LIMIT 1)
      UNION ALL SELECT (SELECT channel_id FROM deliveries WHERE ${condition} AND channel_id > ${name}.channel_id ORDER BY channel_id LIMIT 1)
      FROM ${name} WHERE channel_id IS NOT NULL)`;
  // With a limit, so that the planner looks for one row of the channel and does not read those of all channels.
  const some = (condition: string): string =>
    `coalesce((SELECT true FROM deliveries WHERE channel_id = c.id AND ${condition} LIMIT 1), false)`;
  const due = `status = 'pending' AND next_attempt_at <= now()`;
  const { rows } = await planned.query<DueChannel>({
    name: 'find_due_channels',
    text: `WITH RECURSIVE ${each('untried', UNTRIED)}, ${each('again', AGAIN)}
      SELECT id, "isDue", "hasTests", "isToBeHeld" FROM (
        SELECT c.id,
          CASE WHEN c.status = 'active' AND NOT c.is_archived
            THEN ${some(`${UNTRIED} AND ${IS_DUE}`)} OR ${some(`${AGAIN} AND status = 'held'`)} OR ${some(`${AGAIN} AND NOT is_test AND ${due}`)} ELSE false END AS "isDue",
          ${some(`${AGAIN} AND is_test AND ${due}`)} AS "hasTests",
          CASE WHEN c.status = 'active' AND NOT c.is_archived THEN false ELSE ${some(`status = 'pending' AND NOT is_test`)} END AS "isToBeHeld"
        FROM (SELECT channel_id FROM untried UNION SELECT channel_id FROM again) w JOIN notification_channels c ON c.id = w.channel_id
        WHERE ${inPartitions('c.id', 1)} OFFSET 0) found
      WHERE "isDue" OR "hasTests" OR "isToBeHeld"`,
    values: [partitions ?? null],
  });
  return rows;
}

/** Test messages that are due. Each goes whatever the state of its channel. */
export async function listTests(
  planned: Sql,
  channelIds: readonly string[],
  limit: number,
): Promise<readonly DeliveryJob[]> {
  const { rows } = await planned.query<DeliveryRow>({
    name: 'list_due_tests',
    text: `SELECT d.*, e.* FROM (
        SELECT channel_id, ${COLUMNS} FROM deliveries
        WHERE channel_id = ANY($1::uuid[]) AND ${AGAIN} AND is_test AND status = 'pending' AND next_attempt_at <= now() LIMIT $2) d ${WITH_EVENT}`,
    values: [channelIds, limit],
  });
  return toJobs(rows, false);
}

/** Of one statement, begun in one turn of the event loop. */
export const PROBES_MAX = 20;

/**
 * Failing channels of these partitions whose probe is due, each with one delivery that waits. It is the oldest, and after
 * every second failure the oldest that was never tried, so that one event which its receiver cannot take closes nothing: in
 * that one's place, it counts for no attempt. In a strict order none may go but the oldest, or the first one of another
 * address. What failed by our own fault goes
 * where nothing else waits. The next probe comes after the interval.
 */
export async function claimProbes(
  db: Sql,
  probeIntervalMs: number,
  partitions: Partitions,
): Promise<readonly DeliveryJob[]> {
  const one = (condition: string, order: string, isExtra = false): string =>
    `SELECT * FROM (SELECT channel_id, ${COLUMNS}, ${isExtra} AS is_extra FROM deliveries WHERE channel_id = due.id AND ${condition} ORDER BY ${order} LIMIT 1)`;
  const isStrict = `due.config ->> 'ordering' = 'strict'`;
  const isOurs = `last_error IS NOT DISTINCT FROM 'internal_error'`;
  const oldestKey = `(SELECT ordering_key FROM deliveries WHERE channel_id = due.id AND ${ORDERED} ORDER BY id LIMIT 1)`;
  // From a random key on, and then from the first one: two events that are refused close nothing either.
  const another = (side: '>=' | '<'): string =>
    `(${one(
      `${isStrict} AND due.config ->> 'ordering_key' = 'address' AND due.consecutive_failures % 2 = 0
         AND ${ORDERED} AND ordering_key <> ${oldestKey} AND ordering_key ${side} $3::int`,
      'ordering_key, is_historical, id',
      true,
    )} another)`;
  const { rows } = await db.query<DeliveryRow>(
    `WITH due AS (
       UPDATE notification_channels SET probe_at = now() + $1 * interval '1 ms' WHERE id IN (
         SELECT id FROM notification_channels c
         WHERE c.status = 'failing' AND NOT c.is_archived AND (c.probe_at IS NULL OR c.probe_at <= now())
           AND ${inPartitions('c.id', 2)} AND EXISTS (SELECT FROM deliveries d WHERE d.channel_id = c.id AND d.status = 'held')
         LIMIT ${PROBES_MAX} FOR NO KEY UPDATE SKIP LOCKED)
       RETURNING id, config, consecutive_failures)
     SELECT d.*, e.* FROM due CROSS JOIN LATERAL (
       ${another('>=')} UNION ALL ${another('<')}
       UNION ALL ${one(`${isStrict} AND ${ORDERED}`, 'id')} ordered
       UNION ALL ${one(`due.consecutive_failures % 2 = 0 AND status = 'held' AND ${UNTRIED} AND NOT is_historical AND NOT ${isOurs}`, 'id', true)} untried
       UNION ALL ${one(`status = 'held' AND NOT ${isOurs}`, 'created_at, id')} held
       UNION ALL ${one(`status = 'held'`, 'created_at, id')} any_held
       LIMIT 1) d ${WITH_EVENT}`,
    [probeIntervalMs, partitions ?? null, randomKey()],
  );
  return toJobs(rows, true);
}

/** So many take no longer than a claim. */
const HOLD_MAX = 50;

/**
 * Holds deliveries of channels that are closed, so that they spend no attempt. The commit does not wait for the disk: after a
 * crash they are pending again, and found by the next look. True: there may be more.
 */
export async function holdDeliveries(planned: Sql, channelIds: readonly string[]): Promise<boolean> {
  const { rowCount } = await planned.query({
    name: 'hold_deliveries',
    text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
      next AS MATERIALIZED (
        SELECT d.id FROM deliveries d JOIN notification_channels c ON c.id = d.channel_id
        WHERE d.channel_id = ANY($1::uuid[]) AND d.status = 'pending' AND NOT d.is_test AND NOT (c.status = 'active' AND NOT c.is_archived)
        LIMIT ${HOLD_MAX} FOR UPDATE OF d SKIP LOCKED)
      UPDATE deliveries d SET status = 'held', updated_at = now() FROM next, relaxed WHERE d.id = next.id`,
    values: [channelIds],
  });
  return rowCount === HOLD_MAX;
}

/** Held events are kept for 14 days (decisions.md §5). Returns how many were discarded; 0: none is left. */
export async function discardExpired(db: Sql): Promise<number> {
  const { rowCount } = await db.query(
    `UPDATE deliveries SET status = 'discarded', updated_at = now() WHERE id IN (
       SELECT id FROM deliveries WHERE status = 'held' AND created_at < now() - interval '14 days'
       LIMIT 10000 FOR UPDATE SKIP LOCKED)`,
  );
  return rowCount ?? 0;
}

/** In the order of their ids: a join has no order of its own. */
function toJobs(rows: readonly DeliveryRow[], isProbe: boolean): readonly DeliveryJob[] {
  const saysNothing = (row: DeliveryRow): boolean =>
    row.is_test || row.is_historical || row.attempt_base > 0 || row.status === 'held';
  return rows
    .map((row) => ({
      id: row.id,
      channelId: row.channel_id,
      eventId: row.event_id,
      eventType: row.event_type,
      payload: row.proof === null ? row.payload : withProof(row.payload, row.proof),
      hasProof: row.proof !== null,
      traceparent: row.traceparent ?? undefined,
      attemptCount: row.attempt_count - row.attempt_base,
      isFirst: row.attempt_count === 0,
      dueAt: row.next_attempt_at,
      isProbe,
      isExtra: row.is_extra === true,
      eventAt: saysNothing(row) ? undefined : row.event_at,
      isTest: row.is_test,
      rehearsal: parseRehearsal(row.rehearsal),
      isHistorical: row.is_historical,
      orderingKey: row.is_strict === true ? (row.ordering_key ?? undefined) : undefined,
    }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}
