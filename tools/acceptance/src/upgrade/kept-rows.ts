// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@chainwatch/data/db';

/** Work that is done and forgotten, and what processes say of themselves: their rows go as they should. */
const PASSING = [
  'undispatched_events',
  'unpositioned_events',
  'unpublished_events',
  'historical_dispatches',
  'balance_reads',
  'list_changes',
  'list_counts',
  'leases',
  'owner_beats',
  'idempotency_keys',
  'unproved_transactions',
  '_prisma_migrations',
];

interface Key {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The primary keys of every table, noted before an upgrade and looked for behind it. */
export class KeptRows {
  readonly #db: Database;
  #keys: readonly Key[] = [];

  constructor(db: Database) {
    this.#db = db;
  }

  /** @returns how many rows were noted */
  async note(): Promise<number> {
    const { rows } = await this.#db.query<{ table: string; columns: string[] }>(
      `SELECT c.relname AS table, array_agg(quote_ident(a.attname) ORDER BY array_position(i.indkey::int[], a.attnum::int)) AS columns
       FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
       WHERE i.indisprimary AND c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL ($1)
       GROUP BY c.relname ORDER BY c.relname`,
      [PASSING],
    );
    this.#keys = rows;
    await this.#db.query('CREATE SCHEMA kept');
    let count = 0;
    for (const { table, columns } of rows) {
      const made = await this.#db.query(
        `CREATE TABLE kept.${table} AS SELECT ${columns.join(', ')} FROM public.${table}`,
      );
      count += made.rowCount ?? 0;
    }
    return count;
  }

  /** Tables that lost rows, with how many of how many. */
  async findLost(): Promise<string[]> {
    const lost: string[] = [];
    for (const { table, columns } of this.#keys) {
      const { rows } = await this.#db.query<{ lost: number; noted: number }>(
        `SELECT (SELECT count(*)::int FROM (SELECT * FROM kept.${table} EXCEPT SELECT ${columns.join(', ')} FROM public.${table}) gone) AS lost,
                (SELECT count(*)::int FROM kept.${table}) AS noted`,
      );
      if (rows[0]!.lost > 0) lost.push(`${table}: ${rows[0]!.lost} of ${rows[0]!.noted}`);
    }
    return lost;
  }
}
