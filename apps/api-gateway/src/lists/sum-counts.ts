import type { Sql } from '@chainwatch/db';

/** Scope of what belongs to nobody: blocks and assets. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

interface CountedList {
  /** A project, a channel, an address; NOBODY for what all share. */
  readonly scope: string;
  readonly list: 'transactions' | 'address' | 'asset' | 'addresses' | 'blocks' | 'assets' | 'deliveries';
}

/**
 * How many rows a list has, from the totals that the database keeps (migration list_figures), exactly as of this statement.
 * @param wanted values that each column of the list's key may have, in its order; undefined: any
 */
export async function sumCounts(sql: Sql, { scope, list }: CountedList, wanted: readonly (readonly string[] | undefined)[] = []): Promise<number> {
  const values: unknown[] = [scope, list];
  const conditions = wanted.flatMap((allowed, index) => {
    if (allowed === undefined) return [];
    values.push(allowed);
    return [`AND key[${index + 1}] = ANY ($${values.length})`];
  });
  const { rows } = await sql.query<{ total: number }>(`SELECT coalesce(sum(count), 0)::bigint AS total FROM list_counts WHERE scope = $1 AND list = $2 ${conditions.join(' ')}`, values);
  return rows[0]!.total;
}
