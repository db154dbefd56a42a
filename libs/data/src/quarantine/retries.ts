// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '../db/index.ts';

/** Another release, or another day of the same one: all that a step has set aside on a chain is tried again now. */
export async function retryAll(sql: Sql, chainGid: string, step: string): Promise<void> {
  await sql.query(
    `UPDATE incidents SET retry_at = clock_timestamp() WHERE chain_gid = $1 AND kind = $2 AND status = 'quarantined'`,
    [chainGid, `poison:${step}`],
  );
}

/** Whether the address `id` (SQL) is set aside in a step of the chain $1, and not to be tried again yet. */
export function isSetAsideSql(step: string, id: string): string {
  return `EXISTS (SELECT FROM incidents q WHERE q.address_id = ${id} AND q.chain_gid = $1 AND q.kind = 'poison:${step}'
    AND q.status = 'quarantined' AND q.retry_at > clock_timestamp())`;
}

/** Ends in an open transaction what was set aside, by the ids of its subjects: the step is done with them. */
export async function endSetAside(
  sql: Sql,
  chainGid: string,
  { step, subjectIds }: { readonly step: string; readonly subjectIds: readonly string[] },
): Promise<void> {
  await sql.query({
    name: 'end_set_aside',
    text: `UPDATE incidents SET status = 'resolved', resolved_at = now()
      WHERE chain_gid = $1 AND kind = $3 AND subject_id = ANY($2::text[]) AND status = 'quarantined'`,
    values: [chainGid, subjectIds, `poison:${step}`],
  });
}
