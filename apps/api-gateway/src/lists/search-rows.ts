// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { buildConditions, type AddValue } from './build-conditions.ts';
import { behindSql, keySql, orderSql, type ListOrder } from './list-order.ts';
import type { ListedRow, Range } from './pager.ts';

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
  readonly order: ListOrder;
  readonly range: Range;
}

/** A condition: one of the columns contains the text, in upper or lower case. */
export function containsIn(columns: readonly string[], add: AddValue, text: string): string {
  const pattern = add(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
  return `(${columns.map((column) => `${column} ILIKE ${pattern}`).join(' OR ')})`;
}

/**
 * One page of the rows that a search finds, and their total. The rows are found once, by the index of what is searched.
 * Left to itself, the planner would walk the list's order, which fills a page soon only for common words.
 */
export async function searchRows(
  sql: Sql,
  { table, id, columns, matches, wanted, order, range: { offset, limit, after } }: Search,
): Promise<{ rows: readonly ListedRow[]; total: number }> {
  const values: unknown[] = [];
  const add: AddValue = (value) => `$${values.push(value)}`;
  const conditions = [...matches(add), buildConditions(wanted, values)].join(' AND ');
  const behind = after === undefined ? 'true' : behindSql(order, after, add);
  const found = await sql.query<{ rows: readonly ListedRow[]; total: number }>(
    `WITH found AS MATERIALIZED (SELECT ${columns} FROM ${table} l WHERE ${conditions})
     SELECT (SELECT count(*) FROM found) AS total, ARRAY(
       SELECT json_build_object('id', ${id}::text, 'key', ${keySql(order)}) FROM found WHERE ${behind} ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}) AS rows`,
    values,
  );
  return found.rows[0]!;
}
