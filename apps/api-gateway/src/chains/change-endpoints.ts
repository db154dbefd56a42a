// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { notFound, type ProblemError } from '@chainwatch/common/problem';
import { recordChange, type Author } from '../management/record-change.ts';
import type { EndpointRow } from '../records/endpoint.ts';
import { chainParams } from '../records/path-schemas.ts';
import type { ApiDeps } from '../api-deps.ts';
import { announceChain } from './announce-chain.ts';

export const endpointParams = z.object({
  ...chainParams.shape,
  endpoint_id: z.uuid().meta({
    description: 'The endpoint, by its `id`.',
    examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
  }),
});

interface EndpointChange {
  readonly chainGid: string;
  readonly author: Author;
  /** What it does, for the audit log. Never the URL, which may hold a secret. */
  readonly to: object;
}

/**
 * Changes the endpoints of a chain, records it, and announces the chain. `updated_at` of the chain changes: services have
 * time to report again then (`describeSync`).
 */
export async function changeEndpoints<T>(
  deps: Pick<ApiDeps, 'db' | 'bus' | 'chains' | 'logger'>,
  { chainGid, author, to }: EndpointChange,
  change: (sql: Sql) => Promise<T>,
): Promise<T> {
  const changed = await deps.db.transaction(async (sql) => {
    // Changes of one chain come one after another.
    await sql.query('UPDATE blockchains SET updated_at = now() WHERE gid = $1', [chainGid]);
    const result = await change(sql);
    await recordChange(sql, author, {
      action: 'workspace.endpoint_updated',
      targetId: author.principal.workspaceId,
      to: { chain_gid: chainGid, ...to },
    });
    return result;
  });
  announceChain(deps, chainGid);
  return changed;
}

/** @throws ProblemError 404 */
export async function findEndpoint(sql: Sql, chainGid: string, id: string): Promise<EndpointRow> {
  const { rows } = await sql.query<EndpointRow>(
    'SELECT id, chain_gid, url_shown, weight, created_at, updated_at FROM chain_endpoints WHERE id = $1 AND chain_gid = $2',
    [id, chainGid],
  );
  if (rows[0] === undefined) throw missingEndpoint(chainGid, id);
  return rows[0];
}

export function missingEndpoint(chainGid: string, id: string): ProblemError {
  return notFound(`The blockchain ${chainGid} has no endpoint ${id}.`);
}
