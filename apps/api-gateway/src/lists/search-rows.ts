import type { Sql } from '@chainwatch/db';
import { buildConditions } from './build-conditions.ts';

interface Search {
  /** SQL: a table, or a query in brackets. */
  readonly table: string;
  readonly id: 'id' | 'gid';
  /** Those that `order` names, and the id. */
  readonly columns: string;
  /** Conditions that an index finds rows by; `add` makes a value a parameter: `$2`. */
  readonly matches: (add: AddValue) => readonly string[];
  /** Further conditions on the rows: a column and the values allowed in it; undefined: any. */
  readonly wanted: Readonly<Record<string, readonly unknown[] | undefined>>;
  /** SQL of the order, down to the tiebreak. */
  readonly order: string;
  readonly offset: number;
  readonly limit: number;
}

export type AddValue = (value: unknown) => string;

/** A condition: one of the columns contains the text, in upper or lower case. */
export function containsIn(columns: readonly string[], add: AddValue, text: string): string {
  const pattern = add(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
  return `(${columns.map((column) => `${column} ILIKE ${pattern}`).join(' OR ')})`;
}

/**
 * One page of the ids that a search finds, and their total. The rows are found once, by the index of what is searched.
 * Left to itself, the planner would walk the list's order, which fills a page soon only for common words.
 */
export async function searchRows(
  sql: Sql,
  { table, id, columns, matches, wanted, order, offset, limit }: Search,
): Promise<{ ids: string[]; total: number }> {
  const values: unknown[] = [];
  const conditions = matches((value) => `$${values.push(value)}`);
  const { rows } = await sql.query<{ ids: string[]; total: number }>(
    `WITH found AS MATERIALIZED (SELECT ${columns} FROM ${table} l WHERE ${[...conditions, buildConditions(wanted, values)].join(' AND ')})
     SELECT (SELECT count(*) FROM found) AS total, ARRAY(SELECT ${id}::text FROM found ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) AS ids`,
    values,
  );
  return rows[0]!;
}
