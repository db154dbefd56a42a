// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { findTransactions, NO_TRANSACTION } from './find-transactions.ts';
import type { Progress, Work } from './work.ts';

/** Before every transaction: `after_id` ends in the id of a row then, in hexadecimal, and what follows begins at the first one. */
const BEFORE_ALL = '-infinity';
const ROW_DIGITS = 12;
const ROW_PREFIX = '00000000-0000-0000-0000-';

interface Row {
  readonly id: number;
  readonly chain_gid: string | null;
  readonly hash: string | null;
  readonly reason: string | null;
}

/**
 * Looks up once more what the project did not have when its batch was stored: what was detected while the rest of the ledger
 * arrived is there now.
 * @returns undefined: all of it was looked up
 */
export async function lookUpLate(sql: Sql, work: Work, limit: number): Promise<Progress | undefined> {
  const { id, project_id: projectId, after_id, after_time } = work;
  if (after_time !== null && after_time !== BEFORE_ALL) return undefined;
  const after = after_id === null ? 0 : Number.parseInt(after_id.slice(-ROW_DIGITS), 16);
  const { rows } = await sql.query<Row>(
    `SELECT id, chain_gid, hash, reason FROM reconciliation_rows
     WHERE reconciliation_id = $1 AND class = 'missing_on_chain' AND id > $2 ORDER BY id LIMIT $3`,
    [id, after, limit],
  );
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const found = await findTransactions(
    sql,
    projectId,
    rows.flatMap(({ id: key, chain_gid: chainGid, hash, reason }) =>
      chainGid === null || hash === null || reason !== NO_TRANSACTION ? [] : [{ key, chainGid, hash }],
    ),
  );
  if (found.size > 0)
    await sql.query(
      `UPDATE reconciliation_rows r SET class = NULL, reason = NULL, transaction_id = v.transaction_id
       FROM unnest($1::bigint[], $2::uuid[]) AS v (id, transaction_id) WHERE r.id = v.id`,
      [[...found.keys()], [...found.values()]],
    );
  return {
    ...{ phase: 'events', afterTime: BEFORE_ALL },
    afterId: `${ROW_PREFIX}${last.id.toString(16).padStart(ROW_DIGITS, '0')}`,
    counts: { missing_on_chain: -found.size },
  };
}
