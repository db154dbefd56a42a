// SPDX-License-Identifier: Apache-2.0
import type { Key } from './pager.ts';
import type { AddValue } from './build-conditions.ts';

/** A column that a list is ordered by. */
export interface OrderColumn {
  readonly name: string;
  /** How a key's text becomes a value again. */
  readonly type: 'timestamptz' | 'text' | 'uuid' | 'bigint' | 'integer' | 'numeric' | 'boolean';
  readonly isNullable?: boolean;
  /** Ascending, whatever the direction of the others. */
  readonly isAscending?: boolean;
}

/** Columns down to the one that breaks all ties; in one direction where they can, so that one index serves both. */
export interface ListOrder {
  readonly columns: readonly OrderColumn[];
  readonly direction: 'ASC' | 'DESC';
}

/** `sort_by` with the columns of its field and those that break ties. */
export function toListOrder<F extends string>(
  sortBy: F | `-${F}`,
  fields: Readonly<Record<F, OrderColumn>>,
  tiebreak: readonly OrderColumn[],
): ListOrder {
  const isDescending = sortBy.startsWith('-');
  const first = fields[(isDescending ? sortBy.slice(1) : sortBy) as F];
  return {
    columns: [first, ...tiebreak.filter(({ name }) => name !== first.name)],
    direction: isDescending ? 'DESC' : 'ASC',
  };
}

/** NULL comes last, and first when descending, as PostgreSQL has it. */
export function orderSql({ columns, direction }: ListOrder): string {
  return columns
    .map(({ name, isAscending = false }) => `${name} ${isAscending ? 'ASC' : direction}`)
    .join(', ');
}

/** The key of a row. */
export function keySql({ columns }: ListOrder): string {
  return `ARRAY[${columns.map(({ name }) => `${name}::text`).join(', ')}]`;
}

/** The condition of the rows behind a key. Where no column may be NULL or has its own direction it is one comparison, which an index answers. */
export function behindSql(order: ListOrder, key: Key, add: AddValue): string {
  const { columns, direction } = order;
  const values = columns.map(({ type }, index) => `${add(key[index] ?? null)}::text::${type}`);
  if (columns.every(({ isNullable, isAscending }) => isNullable !== true && isAscending !== true)) {
    const sign = direction === 'ASC' ? '>' : '<';
    return `(${columns.map(({ name }) => name).join(', ')}) ${sign} (${values.join(', ')})`;
  }
  const steps = columns.map((_, index) => {
    const same = columns
      .slice(0, index)
      .map(({ name }, before) => `${name} IS NOT DISTINCT FROM ${values[before]}`);
    return `(${[...same, isBehind(order, { key, index, value: values[index]! })].join(' AND ')})`;
  });
  return `(${steps.join(' OR ')})`;
}

function isBehind(
  order: ListOrder,
  { key, index, value }: { readonly key: Key; readonly index: number; readonly value: string },
): string {
  const { name, isNullable = false, isAscending = false } = order.columns[index]!;
  const direction = isAscending ? 'ASC' : order.direction;
  const isNull = (key[index] ?? null) === null;
  if (direction === 'DESC') return isNull ? `${name} IS NOT NULL` : `${name} < ${value}`;
  if (isNull) return 'false';
  return isNullable ? `(${name} > ${value} OR ${name} IS NULL)` : `${name} > ${value}`;
}
