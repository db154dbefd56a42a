// SPDX-License-Identifier: Apache-2.0
/** Makes a value a parameter of the statement: `$2`. */
export type AddValue = (value: unknown) => string;

/**
 * The wanted rows as SQL conditions: `a = $1 AND b = ANY ($2)`. A list with one value is compared with `=`, so that an
 * index returns its rows in order.
 * @param wanted columns and the values allowed in each; undefined: any
 * @param values the statement's parameters, to which these are added
 */
export function buildConditions(
  wanted: Readonly<Record<string, readonly unknown[] | undefined>>,
  values: unknown[],
): string {
  const conditions = Object.entries(wanted).flatMap(([column, allowed]) => {
    if (allowed === undefined) return [];
    return allowed.length === 1
      ? [`${column} = $${values.push(allowed[0])}`]
      : [`${column} = ANY ($${values.push(allowed)})`];
  });
  return conditions.join(' AND ');
}
