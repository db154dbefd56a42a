// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

/**
 * Keeps the chain's analyzer from discovering assets until the transaction ends. Whoever changes what the service knows
 * of an asset takes this lock first (migration project_assets).
 */
export async function lockChain(sql: Sql, chainGid: string): Promise<void> {
  await sql.query('SELECT FROM analyzer_states WHERE chain_gid = $1 FOR UPDATE', [chainGid]);
}
