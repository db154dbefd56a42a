import type { Sql } from './database.ts';

type FencedTable = 'ingestor_states' | 'analyzer_states';

/** Another replica took the chain over: whatever this one still wants to write is stale. Stop working on the chain. */
export class FencedError extends Error {
  readonly code = 'fenced';
  readonly retryable = false;
  constructor(table: FencedTable, chainGid: string, token: number) {
    super(`token ${token} of ${chainGid} in ${table} is stale: another replica owns the chain`);
    this.name = 'FencedError';
  }
}

/** Takes a chain over: raises the token, so that every earlier owner's writes fail from now on. */
export async function raiseToken(sql: Sql, table: FencedTable, chainGid: string, owner: string): Promise<number> {
  const { rows } = await sql.query<{ token: number }>(
    `INSERT INTO ${table} (chain_gid, token, owner) VALUES ($1, 1, $2)
     ON CONFLICT (chain_gid) DO UPDATE SET token = ${table}.token + 1, owner = $2, updated_at = now()
     RETURNING token`,
    [chainGid, owner],
  );
  return rows[0]!.token;
}

/**
 * First statement of every write: locks the chain's row and proves that `token` is still the newest.
 * @throws FencedError
 */
export async function lockWithToken(sql: Sql, table: FencedTable, chainGid: string, token: number): Promise<void> {
  const { rowCount } = await sql.query(`SELECT 1 FROM ${table} WHERE chain_gid = $1 AND token = $2 FOR UPDATE`, [chainGid, token]);
  if (rowCount !== 1) throw new FencedError(table, chainGid, token);
}
