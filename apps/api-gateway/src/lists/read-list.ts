// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { toPage, type Page, type PageRequest } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import type { ApiDeps } from '../api-deps.ts';
import { buildConditions, type AddValue } from './build-conditions.ts';
import { behindSql, keySql, orderSql, type ListOrder } from './list-order.ts';
import { openPager, type ListedRow, type Range } from './pager.ts';

export interface List {
  /** SQL: a table, or a query in brackets with a name. */
  readonly from: string;
  readonly id: 'id' | 'gid' | 'chain_gid';
  /** A column and the values allowed in it; undefined: any. */
  readonly wanted: Readonly<Record<string, readonly unknown[] | undefined>>;
  /** Further conditions; `add` makes a value a parameter. */
  readonly matches?: (add: AddValue) => readonly string[];
  readonly order: ListOrder;
}

interface ListCall {
  readonly principal: Principal;
  /** As of `openPager`. */
  readonly name: string;
  readonly query: PageRequest;
}

/**
 * The page of a list that is asked for.
 * @param read the records of the ids; those deleted meanwhile are missing
 */
export async function readList<T>(
  { db, sealer }: Pick<ApiDeps, 'db' | 'sealer'>,
  {
    call: { principal, name, query },
    list,
    read,
  }: { readonly call: ListCall; readonly list: List; readonly read: (ids: string[]) => Promise<T[]> },
): Promise<Page<T>> {
  const pager = openPager({ sealer, principal, list: name, query });
  const [found, total] = await Promise.all([readRows(db, list, pager.range), countRows(db, list)]);
  const { rows, nextCursor } = pager.close(found);
  return toPage(await read(rows.map(({ id }) => id)), { total, request: query, nextCursor });
}

/** Ids and keys alone, so that an index answers however many rows are skipped. */
export async function readRows(sql: Sql, list: List, { offset, limit, after }: Range): Promise<ListedRow[]> {
  const values: unknown[] = [];
  const { from, id, order } = list;
  const behind =
    after === undefined ? '' : ` AND ${behindSql(order, after, (value) => `$${values.push(value)}`)}`;
  const where = `${toConditions(list, values)}${behind}`;
  // Not cast: ORDER BY looks at what is selected first.
  const { rows } = await sql.query<ListedRow>(
    `SELECT ${id} AS id, ${keySql(order)} AS key FROM ${from} WHERE ${where} ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}`,
    values,
  );
  return rows.map(({ id: value, key }) => ({ id: String(value), key }));
}

async function countRows(sql: Sql, list: List): Promise<number> {
  const values: unknown[] = [];
  const { rows } = await sql.query<{ total: number }>(
    `SELECT count(*) AS total FROM ${list.from} WHERE ${toConditions(list, values)}`,
    values,
  );
  return rows[0]!.total;
}

function toConditions({ wanted, matches }: List, values: unknown[]): string {
  const conditions = [
    buildConditions(wanted, values),
    ...(matches?.((value) => `$${values.push(value)}`) ?? []),
  ];
  return conditions.filter((condition) => condition !== '').join(' AND ') || 'true';
}

/** Rows in the order of their ids. */
export function inOrder<R extends { readonly id: string | bigint }>(
  ids: readonly string[],
  rows: readonly R[],
): R[] {
  const byId = new Map(rows.map((row) => [String(row.id), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
