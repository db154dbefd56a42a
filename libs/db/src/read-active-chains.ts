import type { ActiveChain, ChainFamilyName } from '@chainwatch/chain-core';
import type { Sql } from './database.ts';

/** The active chains by gid; of one family, when it is given. */
export async function readActiveChains(
  sql: Sql,
  family?: ChainFamilyName,
): Promise<Map<string, ActiveChain>> {
  const { rows } = await sql.query<ActiveChain>(
    `SELECT gid, family, endpoint_sealed AS "endpointSealed", other_endpoints_sealed AS "otherEndpointsSealed", start_block AS "startBlock" FROM blockchains
     WHERE is_active AND ($1::text IS NULL OR family = $1)`,
    [family ?? null],
  );
  return new Map(rows.map((row) => [row.gid, row]));
}
