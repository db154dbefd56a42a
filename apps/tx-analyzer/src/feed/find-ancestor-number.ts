import type { Sql } from '@chainwatch/db';
import type { Segment } from '../model/segment.ts';

/**
 * The number of the block that the orphans of a segment stand on. It need not be one below them, because chains
 * skip numbers. Undefined without orphans, and when they reach below every block that was followed: then their
 * parent was never a block of ours.
 */
export async function findAncestorNumber(
  sql: Sql,
  chainGid: string,
  { orphans }: Pick<Segment, 'orphans'>,
): Promise<number | undefined> {
  const last = orphans.at(-1);
  if (last === undefined) return undefined;
  const { rows } = await sql.query<{ number: number }>(
    'SELECT number FROM blocks WHERE chain_gid = $1 AND hash = $2',
    [chainGid, last.parentHash],
  );
  return rows[0]?.number;
}
