// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@chainwatch/data/db';
import type { OwnedShare } from '@chainwatch/data/ownership';
import type { FeedStore } from './feed-store.ts';

/** The operator's request is a row: any owner of the chain continues it from where the one before stopped. */
export function createResetStore(
  db: Database,
  chainGid: string,
  share: OwnedShare,
): Pick<FeedStore, 'findReset' | 'beginReset' | 'finishReset'> {
  return {
    async findReset() {
      const { rows } = await db.query<{ id: string; from_block: number | null }>(
        `SELECT id, from_block FROM resets WHERE chain_gid = $1 AND status = 'running'`,
        [chainGid],
      );
      return rows.map(({ id, from_block: fromBlock }) => ({
        id,
        ...(fromBlock !== null && { fromBlock }),
      }))[0];
    },
    beginReset: ({ id }) =>
      share.transaction(async (sql) => {
        const { rows } = await sql.query<{ resume_seq: number }>(
          `UPDATE resets r SET updated_at = now(), resume_seq = coalesce(r.resume_seq, s.feed_seq + (
             SELECT count(*) FROM blocks WHERE chain_gid = r.chain_gid AND number >= coalesce(r.from_block, 0) AND status <> 'reorged' AND hash IS NOT NULL)
             + (SELECT coalesce(sum(count_in_run(p, coalesce(r.from_block, 0), 9223372036854775807, '{confirmed}')), 0)::bigint FROM block_runs p
                WHERE p.chain_gid = r.chain_gid AND p.first_number > coalesce(r.from_block, 0) - 1024))
           FROM ingestor_states s WHERE r.id = $1 AND r.status = 'running' AND s.chain_gid = r.chain_gid RETURNING r.resume_seq`,
          [id],
        );
        return rows[0]?.resume_seq;
      }),
    finishReset: ({ id, fromBlock }) =>
      share.transaction(async (sql) => {
        // The lower of the two, or the one that is known.
        await sql.query(
          'UPDATE ingestor_states SET start_number = least(start_number, $2), updated_at = now() WHERE chain_gid = $1 AND head_number IS NULL',
          [chainGid, fromBlock ?? null],
        );
        await sql.query(`UPDATE resets SET status = 'done', updated_at = now() WHERE id = $1`, [id]);
      }),
  };
}
