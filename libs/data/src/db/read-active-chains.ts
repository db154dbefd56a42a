// SPDX-License-Identifier: Apache-2.0
import type { ActiveChain, ChainFamilyName } from '@chainwatch/chain-core';
import type { Sql } from './database.ts';

/** Further nodes of a chain `b`, as `SealedEndpoint` of libs/chain-core. */
export const MORE_ENDPOINTS = `SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'urlSealed', e.url_sealed, 'weight', e.weight)
  ORDER BY e.weight DESC, e.created_at, e.id), '[]') FROM chain_endpoints e WHERE e.chain_gid = b.gid`;

/** The active chains by gid; of one family, when it is given. */
export async function readActiveChains(
  sql: Sql,
  family?: ChainFamilyName,
): Promise<Map<string, ActiveChain>> {
  const { rows } = await sql.query<ActiveChain>(
    `SELECT b.gid, b.family, b.endpoint_sealed AS "endpointSealed", b.other_endpoints_sealed AS "otherEndpointsSealed", (${MORE_ENDPOINTS}) AS "moreEndpoints", b.start_block AS "startBlock", n.document
     FROM blockchains b LEFT JOIN networks n ON n.gid = b.gid WHERE b.is_active AND ($1::text IS NULL OR b.family = $1)`,
    [family ?? null],
  );
  return new Map(rows.map((row) => [row.gid, row]));
}
