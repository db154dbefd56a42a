import type { Sql } from '@chainwatch/db';

interface Search {
  readonly table: 'addresses' | 'assets';
  readonly id: 'id' | 'gid';
  /** Columns of which one holds the text, in any case. */
  readonly texts: readonly string[];
  readonly text: string;
  /** What else the rows fulfil: a column and the values it may have; undefined: any. */
  readonly wanted: Readonly<Record<string, readonly unknown[] | undefined>>;
  /** SQL of the order, down to the tiebreak. */
  readonly order: string;
  readonly offset: number;
  readonly limit: number;
}

/**
 * One page of the ids that a search finds, and how many there are. The rows are found once, by the index of texts: the
 * planner would look through the order of the list, where a page that is soon full is one of common words only.
 */
export async function searchRows(sql: Sql, { table, id, texts, text, wanted, order, offset, limit }: Search): Promise<{ ids: string[]; total: number }> {
  const values: unknown[] = [`%${text.replace(/[\\%_]/g, '\\$&')}%`];
  const conditions = Object.entries(wanted).flatMap(([column, allowed]) => {
    if (allowed === undefined) return [];
    return allowed.length === 1 ? [`${column} = $${values.push(allowed[0])}`] : [`${column} = ANY ($${values.push(allowed)})`];
  });
  const matches = `(${texts.map((column) => `${column} ILIKE $1`).join(' OR ')})`;
  const { rows } = await sql.query<{ ids: string[]; total: number }>(
    `WITH found AS MATERIALIZED (SELECT * FROM ${table} WHERE ${[matches, ...conditions].join(' AND ')})
     SELECT (SELECT count(*) FROM found) AS total, ARRAY(SELECT ${id}::text FROM found ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) AS ids`,
    values,
  );
  return rows[0]!;
}
