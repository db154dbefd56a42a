import type { Sql } from '@chainwatch/db';
import { NOBODY } from './sum-counts.ts';
import type { Scale } from './scales.ts';

/** Both ends belong to it; undefined: no end. */
export interface Range<V> {
  readonly from?: V | undefined;
  readonly to?: V | undefined;
}

/** Rows of a scope in a range, of all chains or some: whole steps by their totals, the steps that an end of the range cuts row by row. */
export async function countOnScale<V>(sql: Sql, scale: Scale<V>, scope: string, { from, to }: Range<V>, chains?: readonly string[]): Promise<number> {
  const first = from === undefined ? undefined : scale.stepOf(from);
  const last = to === undefined ? undefined : scale.stepOf(to);
  if (first !== undefined && last !== undefined && first > last) return 0;
  const values: unknown[] = [scope];
  const bound = (operator: string, value: unknown): string => (value === undefined ? '' : ` AND ${operator} ($${values.push(value)})`);
  const { list, table, column, where } = scale;
  const counted = where === undefined ? '' : ` AND ${where}`;
  const rowsBetween = (conditions: string): string => `(SELECT count(*) FROM ${table} WHERE ${scope === NOBODY ? '$1::uuid IS NOT NULL' : 'project_id = $1'}${counted}${conditions}${bound('chain_gid = ANY', chains)})`;
  const parts: string[] = [];
  if (first !== undefined && first === last) {
    parts.push(rowsBetween(bound(`${column} >=`, from) + bound(`${column} <=`, to)));
  } else {
    parts.push(`coalesce((SELECT sum(count) FROM list_counts WHERE scope = $1 AND list = '${list}'${bound('bucket >', first)}${bound('bucket <', last)}${bound('key[1] = ANY', chains)}), 0)`);
    if (first !== undefined) parts.push(rowsBetween(bound(`${column} >=`, from) + bound(`${column} <`, scale.endOf(first))));
    if (last !== undefined) parts.push(rowsBetween(bound(`${column} >=`, scale.startOf(last)) + bound(`${column} <=`, to)));
  }
  const { rows } = await sql.query<{ total: number }>(`SELECT (${parts.join(' + ')})::bigint AS total`, values);
  return rows[0]!.total;
}
