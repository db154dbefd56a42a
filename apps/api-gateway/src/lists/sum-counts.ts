// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

/** The scope of rows that belong to nobody, such as blocks. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

interface CountedList {
  /** A project, a channel, an address, a workspace; NOBODY for shared rows. */
  readonly scope: string;
  readonly list: 'transactions' | 'address' | 'asset' | 'addresses' | 'blocks' | 'deliveries' | 'usage';
  /** The whole key, if it is known: then one line of the index answers. */
  readonly key?: readonly string[];
}

/**
 * The number of rows of a list, from the totals that the database keeps (prisma/sql/count_*.sql); exact as of this
 * statement.
 * @param wanted the values allowed in each column of the list's key, in its order; undefined: any
 */
export async function sumCounts(
  sql: Sql,
  { scope, list, key }: CountedList,
  wanted: readonly (readonly string[] | undefined)[] = [],
): Promise<number> {
  const values: unknown[] = [scope];
  const whole = key === undefined ? '' : ` AND key = $${values.push(key)}::text[]`;
  const keys = wanted
    .map((allowed, index) =>
      allowed === undefined ? '' : ` AND key[${index + 1}] = ANY ($${values.push(allowed)})`,
    )
    .join('');
  const lines = (table: string): string =>
    `SELECT count FROM ${table} WHERE scope = $1 AND list = '${list}'${whole}${keys}`;
  const { rows } = await sql.query<{ total: number }>(
    `SELECT coalesce(sum(count), 0)::bigint AS total FROM (${lines('list_counts')} UNION ALL ${lines('list_changes')}) l`,
    values,
  );
  return rows[0]!.total;
}
