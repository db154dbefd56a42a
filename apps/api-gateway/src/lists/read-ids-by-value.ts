import type { Sql } from '@chainwatch/db';

/** A table with an index that returns the rows of each value of a column in the list's order. */
export interface ValueSource {
  readonly table: 'transactions' | 'transaction_addresses' | 'transfers' | 'events' | 'deliveries' | 'blocks';
  readonly id: 'id' | 'transaction_id';
  readonly key: 'status' | 'chain_gid' | 'address_id' | 'public_key_id' | 'asset_gid' | 'type';
  readonly type: 'text' | 'uuid';
  readonly values: readonly string[];
  /** Further conditions on the rows, with parameters from $2 on. */
  readonly where?: string;
  readonly parameters?: readonly unknown[];
  /** Several rows of one value may have the same id. */
  readonly isRepeated?: boolean;
  /** An id may occur under several values. */
  readonly isOverlapping?: boolean;
}

export interface IdPage {
  readonly column: 'detected_at' | 'block_position' | 'created_at' | 'number';
  readonly direction: 'ASC' | 'DESC';
  readonly offset: number;
  readonly limit: number;
}

/** The ids of a page, merged from the first rows of every value: no later row can be on the page. */
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
    `SELECT ${isRepeated ? 'DISTINCT ' : ''}${column}, ${id} AS id FROM ${table} e WHERE ${key} = ${value}${where === undefined ? '' : ` AND ${where}`} ORDER BY ${column} ${direction}, ${id} ${direction}`;
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
