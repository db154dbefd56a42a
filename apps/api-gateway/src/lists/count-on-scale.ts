import type { Sql } from '@chainwatch/db';
import { linesOfSteps, type WantedKeys } from './lines-of-steps.ts';
import type { Scale } from './scales.ts';

/** Both ends belong to it; undefined: no end. */
export interface Range<V> {
  readonly from?: V | undefined;
  readonly to?: V | undefined;
}

/**
 * Rows of a scope in a range: whole steps by their totals, the steps that an end of the range cuts row by row.
 * @param wanted values that each column of the scale's key may have, in its order; undefined: any
 */
export async function countOnScale<V>(
  sql: Sql,
  scale: Scale<V>,
  scope: string,
  { from, to }: Range<V>,
  wanted: WantedKeys = [],
): Promise<number> {
  const first = from === undefined ? undefined : scale.stepOf(from);
  const last = to === undefined ? undefined : scale.stepOf(to);
  if (first !== undefined && last !== undefined && first > last) return 0;
  const values: unknown[] = [scope];
  const bound = (operator: string, value: unknown): string =>
    value === undefined ? '' : ` AND ${operator} ($${values.push(value)})`;
  const rowsBetween = (...ends: string[]): string => {
    const keys = wanted.map((allowed, index) => bound(`${scale.keys[index]} = ANY`, allowed));
    const owner = scale.owner === undefined ? '$1::uuid IS NOT NULL' : `${scale.owner} = $1`;
    return `(SELECT count(*) FROM ${scale.table} WHERE ${[owner, ...(scale.where === undefined ? [] : [scale.where])].join(' AND ')}${[...keys, ...ends].join('')})`;
  };
  const parts: string[] = [];
  const isCut = first !== undefined && !scale.isStart(from!);
  if (isCut && first === last) {
    parts.push(rowsBetween(bound(`${scale.column} >=`, from), bound(`${scale.column} <=`, to)));
  } else {
    const steps = { scope, list: scale.list, from: isCut ? first + 1 : first, to: last };
    parts.push(`(SELECT coalesce(sum(count), 0) FROM (${linesOfSteps(steps, wanted, values)}) l)`);
    if (isCut)
      parts.push(
        rowsBetween(bound(`${scale.column} >=`, from), bound(`${scale.column} <`, scale.endOf(first))),
      );
    if (last !== undefined)
      parts.push(
        rowsBetween(bound(`${scale.column} >=`, scale.startOf(last)), bound(`${scale.column} <=`, to)),
      );
  }
  const { rows } = await sql.query<{ total: number }>(
    `SELECT (${parts.join(' + ')})::bigint AS total`,
    values,
  );
  return rows[0]!.total;
}
