// SPDX-License-Identifier: Apache-2.0
import { CHANNEL_KEY } from '../schedule/ordering-key.ts';

/** Open rows with a strict order. Its partial indexes are named after this condition. */
export const ORDERED = `status IN ('pending', 'held') AND ordering_key IS NOT NULL`;

/** Keys that one claim looks at. It begins at a random one, so that none waits for ever behind keys that cannot go. */
const KEYS_MAX = 2_000;

/** Where a claim begins: keys are hashes. */
export function randomKey(): number {
  return Math.floor((Math.random() - 0.5) * 2 ** 32);
}

/**
 * SQL of the rows of the channel `c` that may go in its strict order, if it still has one (`s.is_strict`): of each key the first
 * open row, whether it was tried before or not, and as many behind it as go in the same request: those of the whole channel (`c.run`) that were not tried yet. One that waits or is
 * under way holds back its key, and history goes behind what is live.
 *
 * It goes from key to key in the index, so that what waits behind the first row of a key costs nothing.
 * @param columns of the rows
 * @param isDue condition of a row whose time has come
 * $4: ids that are under way; $6: the key at which it begins
 */
export function orderedRows(columns: string, isDue: string): string {
  return `WITH RECURSIVE ${walk('ahead', ' AND ordering_key >= $6::int', '')}, ${walk('rest', '', ' AND key < $6::int')}
    SELECT r.* FROM (SELECT key FROM ahead WHERE key IS NOT NULL UNION ALL SELECT key FROM rest WHERE key < $6::int) k
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM (
        SELECT *, bool_and(may_go) OVER line AND (row_number() OVER line = 1 OR NOT bool_or(was_tried) OVER line) AS is_next FROM (
          SELECT ${columns}, ${isDue} AND id <> ALL($4::uuid[]) AS may_go, attempt_count > attempt_base AS was_tried FROM deliveries
          WHERE channel_id = c.channel_id AND ${ORDERED} AND ordering_key = k.key
          ORDER BY is_historical, id LIMIT CASE k.key WHEN ${CHANNEL_KEY} THEN c.run ELSE 1 END) first
        WINDOW line AS (ORDER BY is_historical, id)) f WHERE is_next) r`;
}

/**
 * The keys from the first one on, in order, as long as a condition holds. Each look-up has a lower bound alone: with both, the
 * planner may read and sort all rows between.
 */
function walk(name: string, from: string, condition: string): string {
  const next = (bound: string): string =>
    `SELECT ordering_key FROM deliveries WHERE channel_id = c.channel_id AND ${ORDERED}${bound} ORDER BY ordering_key LIMIT 1`;
  return `${name} (key, count) AS (
      SELECT (${next(`${from} AND s.is_strict`)}), 1
      UNION ALL SELECT (${next(` AND ordering_key > ${name}.key`)}), count + 1 FROM ${name} WHERE key IS NOT NULL AND count < ${KEYS_MAX}${condition})`;
}
