import type { Sql } from '@chainwatch/db';
import type { WantedKeys } from './lines-of-steps.ts';

/** Scope of what belongs to nobody: blocks. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

interface CountedList {
  /** A project, a channel, an address; NOBODY for what all share. */
  readonly scope: string;
  readonly list:
    | 'transactions'
    | 'address'
    | 'public_key'
    | 'asset'
    | 'addresses'
    | 'blocks'
    | 'assets'
    | 'deliveries'
    | 'usage'
    | 'audit_logs';
  /** The whole key where it is known: one line of the index. */
  readonly key?: readonly string[];
}

/**
 * How many rows a list has, from the totals that the database keeps (migration list_figures), exactly as of this statement.
 * @param wanted values that each column of the list's key may have, in its order; undefined: any
 */
export async function sumCounts(
  sql: Sql,
  { scope, list, key }: CountedList,
  wanted: WantedKeys = [],
): Promise<number> {
  const values: unknown[] = [scope];
  const whole = key === undefined ? '' : ` AND key = $${values.push(key)}::text[]`;
  const keys = wanted
    .map((allowed, index) =>
      allowed === undefined ? '' : ` AND key[${index + 1}] = ANY ($${values.push(allowed)})`,
    )
    .join('');
  const lines = (source: string): string =>
    `SELECT count FROM ${source} scope = $1 AND list = '${list}' AND bucket = 0${whole}${keys}`;
  const { rows } = await sql.query<{ total: number }>(
    `SELECT coalesce(sum(count), 0)::bigint AS total FROM (${lines('list_counts WHERE level = 0 AND')} UNION ALL ${lines('fresh_list_counts() WHERE')}) l`,
    values,
  );
  return rows[0]!.total;
}
