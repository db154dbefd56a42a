import type { Sql } from '@chainwatch/db';
import type { Segment } from './take-segment.ts';

/** Whether the orphans of a segment reach below everything that was ever followed: what they stand on was never a block of ours. */
export async function isEmptied(sql: Sql, chainGid: string, { orphans }: Pick<Segment, 'orphans'>): Promise<boolean> {
  const last = orphans.at(-1);
  if (last === undefined) return false;
  const { rows } = await sql.query('SELECT 1 FROM blocks WHERE chain_gid = $1 AND hash = $2', [chainGid, last.parentHash]);
  return rows.length === 0;
}
