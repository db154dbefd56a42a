import type { Sql } from '@chainwatch/db';

/** A table whose index gives the rows of each value of a column in the order of a list. */
export interface ValueSource {
  readonly table: 'transactions' | 'transaction_addresses' | 'transfers' | 'events' | 'deliveries' | 'blocks';
  readonly id: 'id' | 'transaction_id';
  readonly key: 'status' | 'chain_gid' | 'address_id' | 'public_key_id' | 'asset_gid' | 'type';
  readonly type: 'text' | 'uuid';
  readonly values: readonly string[];
  /** What else the rows fulfil, with parameters from $2 on. */
  readonly where?: string;
  readonly parameters?: readonly unknown[];
  /** Several rows of a value may have one id. */
  readonly isRepeated?: boolean;
  /** An id may come under several values. */
  readonly isOverlapping?: boolean;
}

export interface IdPage {
  readonly column: 'detected_at' | 'block_position' | 'created_at' | 'number';
  readonly direction: 'ASC' | 'DESC';
  readonly offset: number;
  readonly limit: number;
}

/** The ids of a page: the first rows of every value, put together. No later row of a value can stand on it. */
export async function readIdsByValue(
  sql: Sql,
  source: ValueSource,
  { column, direction, offset, limit }: IdPage,
): Promise<string[]> {
  const {
    table,
    id,
    key,
    type,
    values,
    where,
    parameters = [],
    isRepeated = false,
    isOverlapping = false,
  } = source;
  const rowsOf = (value: string): string =>
    `SELECT ${isRepeated ? 'DISTINCT ' : ''}${column}, ${id} AS id FROM ${table} WHERE ${key} = ${value}${where === undefined ? '' : ` AND ${where}`} ORDER BY ${column} ${direction}, ${id} ${direction}`;
  const text =
    values.length === 1
      ? `${rowsOf(`$1::${type}`)} LIMIT ${limit} OFFSET ${offset}`
      : `SELECT ${isOverlapping ? 'DISTINCT ' : ''}${column}, id FROM unnest($1::${type}[]) AS v (value), LATERAL (${rowsOf('v.value')} LIMIT ${offset + limit}) r
         ORDER BY ${column} ${direction}, id ${direction} LIMIT ${limit} OFFSET ${offset}`;
  const { rows } = await sql.query<{ id: string }>(text, [
    values.length === 1 ? values[0] : values,
    ...parameters,
  ]);
  return rows.map((row) => row.id);
}
