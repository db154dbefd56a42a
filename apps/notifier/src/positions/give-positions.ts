// SPDX-License-Identifier: Apache-2.0
import type { Sql, Statement } from '@chainwatch/db';
import { renewSql, type OwnedShare } from '@chainwatch/ownership';

/** Rows that one statement takes (decisions.md §12). */
export const POSITIONED_AT_ONCE = 1_000;

/**
 * The order of the lock matters: a row that is seen once the share is ours was committed, and gets a position above all that
 * were given before. Rows that are being deleted are passed over, so that nobody waits for the deletion of a project.
 * A row that has a position keeps it.
 */
const GIVE_POSITIONS = `
  WITH ours AS (${renewSql(['$1', '$2', '$3', '$4'])}),
  taken AS MATERIALIZED (
    SELECT u.event_row_id, u.project_id FROM unpositioned_events u WHERE u.share = $5::integer AND EXISTS (SELECT FROM ours)
    ORDER BY u.event_row_id LIMIT ${POSITIONED_AT_ONCE} FOR UPDATE SKIP LOCKED),
  done AS (DELETE FROM unpositioned_events u USING taken t WHERE u.share = $5::integer AND u.event_row_id = t.event_row_id),
  raised AS (
    INSERT INTO project_positions AS p (project_id, last_position, history)
    SELECT t.project_id, count(*), h.history FROM taken t, (SELECT position_history() AS history) h GROUP BY t.project_id, h.history ORDER BY t.project_id
    ON CONFLICT (project_id) DO UPDATE SET last_position = reached_position(p) + excluded.last_position, history = excluded.history
    RETURNING p.project_id, p.last_position),
  given AS (
    INSERT INTO event_positions (project_id, position, event_row_id)
    SELECT t.project_id, r.last_position - t.later, t.event_row_id
    FROM (SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY event_row_id DESC) - 1 AS later FROM taken) t JOIN raised r USING (project_id)
    ORDER BY t.event_row_id ON CONFLICT (event_row_id) DO NOTHING)
  SELECT (SELECT count(*) FROM taken) AS count FROM ours`;

/**
 * Gives positions to the share's oldest events without one. Returns to how many.
 * @throws ShareLostError, and nothing was written
 */
export async function givePositions(share: OwnedShare, planned: Sql): Promise<number> {
  const { kind, share: name, owner, token } = share.claim;
  const statement: Statement = {
    name: 'give_positions',
    text: GIVE_POSITIONS,
    values: [kind, name, owner, token, Number.parseInt(name, 16)],
  };
  const rows = await share.query<{ count: number }>(statement, ({ length }) => length > 0, planned);
  return rows[0]!.count;
}

/** Those of the shares that have events without a position. */
export async function findWaitingShares(planned: Sql, shares: readonly string[]): Promise<readonly string[]> {
  const { rows } = await planned.query<{ name: string }>({
    name: 'find_waiting_shares',
    text: `SELECT s.name FROM unnest($1::text[], $2::integer[]) AS s (name, share),
             LATERAL (SELECT FROM unpositioned_events u WHERE u.share = s.share LIMIT 1) u`,
    values: [shares, shares.map((name) => Number.parseInt(name, 16))],
  });
  return rows.map(({ name }) => name);
}
