/**
 * `a = $1 AND b = ANY ($2)`: what rows fulfil, as SQL. A list of one is compared as one, so that an index gives it in order.
 * @param wanted columns and the values that they may have; undefined: any
 * @param values the parameters of the statement, which grow
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
