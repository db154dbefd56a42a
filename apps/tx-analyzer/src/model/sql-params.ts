// SPDX-License-Identifier: Apache-2.0
/** Collects the values of a statement; `add` returns the placeholder with its cast. The text stays the same for the same calls. */
export class SqlParams {
  readonly values: unknown[] = [];

  add(value: unknown, cast: string): string {
    this.values.push(value);
    return `$${this.values.length}::${cast}`;
  }

  /** `unnest($1::uuid[], …)`: one array per column, taken from `rows`. */
  unnest<T>(
    rows: readonly T[],
    columns: readonly (readonly [cast: string, read: (row: T) => unknown])[],
  ): string {
    return `unnest(${columns.map(([cast, read]) => this.add(rows.map(read), `${cast}[]`)).join(', ')})`;
  }
}
