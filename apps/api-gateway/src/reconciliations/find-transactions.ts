// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { transactionIdOf } from '@chainwatch/events';

/** The reason of rows whose hash names no transaction of the project. */
export const NO_TRANSACTION = 'transaction: the project has none with this hash';

interface NamingRow {
  /** Of the row: its line, or its id. */
  readonly key: number;
  readonly chainGid: string;
  readonly hash: string;
}

/**
 * The transactions that rows name by a hash, by their keys. Hexadecimal hashes are stored in lower case, with or without 0x as
 * their chain has it; in others the case counts. Looked up by their ids, which are made of the hash: whatever PostgreSQL knows
 * of the table, there is one way to find them.
 */
export async function findTransactions(
  sql: Sql,
  projectId: string,
  rows: readonly NamingRow[],
): Promise<ReadonlyMap<number, string>> {
  const forms = rows.flatMap(({ key, chainGid, hash }) => {
    const digits = hash.toLowerCase().replace(/^0x/, '');
    const spellings = [...new Set([hash, digits, `0x${digits}`])];
    return spellings.map((spelling) => ({ key, id: transactionIdOf(projectId, chainGid, spelling) }));
  });
  if (forms.length === 0) return new Map();
  const { rows: found } = await sql.query<{ id: string }>(
    'SELECT id FROM transactions WHERE id = ANY ($1) AND project_id = $2',
    [[...new Set(forms.map(({ id }) => id))], projectId],
  );
  const known = new Set(found.map(({ id }) => id));
  const transactions = new Map<number, string>();
  for (const { key, id } of forms) if (known.has(id) && !transactions.has(key)) transactions.set(key, id);
  return transactions;
}
