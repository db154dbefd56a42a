/** Rows as the arrays that `unnest` takes. */
export function toColumns<T>(rows: readonly T[], keys: readonly (keyof T)[]): T[keyof T][][] {
  return keys.map((key) => rows.map((row) => row[key]));
}
