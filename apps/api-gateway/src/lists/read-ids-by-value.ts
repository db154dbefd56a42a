// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { behindSql, keySql, orderSql, type ListOrder } from './list-order.ts';
import type { ListedRow, Range } from './pager.ts';

/** A table with an index that returns the rows of each value of a column in the list's order. */
export interface ValueSource {
  readonly table: 'transactions' | 'transaction_addresses' | 'transfers' | 'event_log' | 'deliveries';
  readonly id: 'id' | 'transaction_id';
  readonly key: 'status' | 'chain_gid' | 'address_id' | 'public_key_id' | 'asset_gid' | 'type';
  readonly type: 'text' | 'uuid';
  readonly values: readonly string[];
  /** Further conditions on the rows `e`, with parameters from $2 on. */
  readonly where?: string;
  readonly parameters?: readonly unknown[];
  /** Several rows of one value may have the same id. */
  readonly isRepeated?: boolean;
  /** An id may occur under several values. */
  readonly isOverlapping?: boolean;
}

interface IdOrder {
  readonly column: 'detected_at' | 'block_position' | 'created_at';
  readonly direction: 'ASC' | 'DESC';
}

/** The ids of a page, merged from the first rows of every value: no later row can be on the page. */
export async function readIdsByValue(
  sql: Sql,
  {
    source,
    order: { column, direction },
    page: { offset, limit, after },
  }: { readonly source: ValueSource; readonly order: IdOrder; readonly page: Range },
): Promise<ListedRow[]> {
  const { table, id, key, type, values, isRepeated = false, isOverlapping = false } = source;
  const parameters: unknown[] = [values.length === 1 ? values[0] : values, ...(source.parameters ?? [])];
  const order = idOrder(source, { column, direction });
  const conditions = [
    ...(source.where === undefined ? [] : [source.where]),
    ...(after === undefined ? [] : [behindSql(order, after, (value) => `$${parameters.push(value)}`)]),
  ];
  const rowsOf = (value: string): string =>
    `SELECT ${isRepeated ? 'DISTINCT ' : ''}${column}, ${id} AS id FROM ${table} e WHERE ${[`${key} = ${value}`, ...conditions].join(' AND ')} ORDER BY ${orderSql(order)}`;
  const text =
    values.length === 1
      ? `${rowsOf(`$1::${type}`)} LIMIT ${limit} OFFSET ${offset}`
      : `SELECT ${isOverlapping ? 'DISTINCT ' : ''}${column}, id FROM unnest($1::${type}[]) AS v (value), LATERAL (${rowsOf('v.value')} LIMIT ${offset + limit}) r
         ORDER BY ${column} ${direction}, id ${direction} LIMIT ${limit} OFFSET ${offset}`;
  const merged: ListOrder = {
    columns: order.columns.map((one) => (one.name === id ? { ...one, name: 'id' } : one)),
    direction,
  };
  const { rows } = await sql.query<ListedRow>(
    `SELECT id, ${keySql(merged)} AS key FROM (${text}) page ORDER BY ${orderSql(merged)}`,
    parameters,
  );
  return rows.map((row) => ({ id: String(row.id), key: row.key }));
}

function idOrder({ table, id }: ValueSource, { column, direction }: IdOrder): ListOrder {
  return {
    columns: [
      {
        name: column,
        type: column === 'detected_at' || column === 'created_at' ? 'timestamptz' : 'bigint',
      },
      { name: id, type: table === 'event_log' ? 'bigint' : 'uuid' },
    ],
    direction,
  };
}
