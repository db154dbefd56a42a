import type { Sql } from '@chainwatch/db';
import { buildConditions } from './build-conditions.ts';

interface Search {
  /** SQL: a table, or a query in brackets. */
  readonly table: string;
  readonly id: 'id' | 'gid';
  /** The columns to search, ignoring case. */
  readonly texts: readonly string[];
  readonly text: string;
  /** Further conditions on the rows: a column and the values allowed in it; undefined: any. */
  readonly wanted: Readonly<Record<string, readonly unknown[] | undefined>>;
  /** SQL of the order, down to the tiebreak. */
  readonly order: string;
  readonly offset: number;
  readonly limit: number;
}

/**
 * One page of the ids that a search finds, and their total. The rows are found once, by the text index. Left to itself,
 * the planner would walk the list's order, which fills a page soon only for common words.
 */
export async function searchRows(
  sql: Sql,
  { table, id, texts, text, wanted, order, offset, limit }: Search,
): Promise<{ ids: string[]; total: number }> {
  const values: unknown[] = [`%${text.replace(/[\\%_]/g, '\\$&')}%`];
  const matches = `(${texts.map((column) => `${column} ILIKE $1`).join(' OR ')})`;
  const { rows } = await sql.query<{ ids: string[]; total: number }>(
    `WITH found AS MATERIALIZED (SELECT * FROM ${table} l WHERE ${matches} AND ${buildConditions(wanted, values)})
     SELECT (SELECT count(*) FROM found) AS total, ARRAY(SELECT ${id}::text FROM found ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) AS ids`,
    values,
  );
  return rows[0]!;
}
