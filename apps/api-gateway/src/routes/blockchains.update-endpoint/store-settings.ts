// SPDX-License-Identifier: Apache-2.0
import { endpointContext, type ChainEndpoint } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { ApiDeps } from '../../server/api-deps.ts';
import type { ChainSettings } from './chain-settings-body.ts';

interface NewSettings {
  readonly gid: string;
  readonly given: readonly ChainEndpoint[];
  readonly unproved: ChainSettings['unproved'];
}

/**
 * Stores what is given and leaves the rest. Returns the former setting. `updated_at` changes with a node only: services
 * have time to report again then (`describeSync`).
 */
export async function storeSettings(
  sql: Sql,
  { gid, given, unproved }: NewSettings,
  sealer: Pick<ApiDeps['sealer'], 'seal'>,
): Promise<{ readonly unproved: string }> {
  const { endpointSealed, others } = sealGiven(given, gid, sealer);
  const { rows } = await sql.query<{ unproved: string }>(
    `UPDATE blockchains b SET endpoint_sealed = coalesce($2, b.endpoint_sealed), other_endpoints_sealed = b.other_endpoints_sealed || $3::jsonb,
       unproved = coalesce($4, b.unproved), updated_at = CASE WHEN $5 THEN now() ELSE b.updated_at END
     FROM (SELECT gid, unproved FROM blockchains WHERE gid = $1 FOR UPDATE) before
     WHERE b.gid = before.gid RETURNING before.unproved`,
    [gid, endpointSealed ?? null, JSON.stringify(others), unproved ?? null, given.length > 0],
  );
  return rows[0]!;
}

function sealGiven(
  given: readonly ChainEndpoint[],
  gid: string,
  sealer: Pick<ApiDeps['sealer'], 'seal'>,
): { endpointSealed?: string; others: Record<string, string> } {
  const others = given.flatMap(({ endpointUrl, interfaceName }) =>
    interfaceName === undefined
      ? []
      : [[interfaceName, sealer.seal(endpointUrl, endpointContext(gid, interfaceName))] as const],
  );
  const first = given.find(({ interfaceName }) => interfaceName === undefined);
  return {
    ...(first && { endpointSealed: sealer.seal(first.endpointUrl, endpointContext(gid)) }),
    others: Object.fromEntries(others),
  };
}
