// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

/**
 * Asks the balance service to read an asset that is active from now on, at the head, for every address that moved it or
 * was known to hold it.
 * @param projectId undefined: for all projects
 */
export async function askForBalances(sql: Sql, assetGid: string, projectId?: string): Promise<void> {
  await sql.query(
    `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
     SELECT t.chain_gid, a.id, t.asset_gid, 'touched'
     FROM transfers t JOIN addresses a ON a.project_id = t.project_id AND a.is_monitored AND a.address = ANY (t.monitored_addresses)
     WHERE t.asset_gid = $1 AND ($2::uuid IS NULL OR t.project_id = $2)
     UNION
     SELECT b.chain_gid, a.id, b.asset_gid, 'touched' FROM balances b JOIN addresses a ON a.id = b.address_id AND a.is_monitored
     WHERE b.asset_gid = $1 AND ($2::uuid IS NULL OR a.project_id = $2)`,
    [assetGid, projectId ?? null],
  );
}
