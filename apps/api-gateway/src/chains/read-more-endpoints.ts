// SPDX-License-Identifier: Apache-2.0
import type { SealedEndpoint } from '@chainwatch/chain-core';
import { MORE_ENDPOINTS, type Sql } from '@chainwatch/db';

/** Further nodes of a chain, sealed. */
export async function readMoreEndpoints(sql: Sql, chainGid: string): Promise<readonly SealedEndpoint[]> {
  const { rows } = await sql.query<{ endpoints: readonly SealedEndpoint[] }>(
    `SELECT (${MORE_ENDPOINTS}) AS endpoints FROM blockchains b WHERE b.gid = $1`,
    [chainGid],
  );
  return rows[0]?.endpoints ?? [];
}
