import type { Sql } from '@chainwatch/db';

/**
 * Keeps the chain's analyzer from discovering assets until the transaction ends: taken first, by whoever changes what the
 * service knows of one (migration project_assets).
 */
export async function lockChain(sql: Sql, chainGid: string): Promise<void> {
  await sql.query('SELECT FROM analyzer_states WHERE chain_gid = $1 FOR UPDATE', [chainGid]);
}
