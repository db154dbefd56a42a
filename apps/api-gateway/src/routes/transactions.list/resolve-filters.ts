// SPDX-License-Identifier: Apache-2.0
import type { Range, TransactionFilters } from './types.ts';
import type { Sql } from '@chainwatch/db';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { canonicalizeAssetGids } from '../../assets/canonicalize-asset-gids.ts';
import { NOBODY } from '../../lists/sum-counts.ts';
import { listCanonicalForms } from '../../addresses/parse-address.ts';
import { families } from '../../records/path-schemas.ts';
import type { TransactionQuery } from './transaction-query.ts';

export async function resolveFilters(
  sql: Sql,
  projectId: string,
  query: TransactionQuery,
): Promise<TransactionFilters> {
  return {
    projectId,
    chains: unique(query.chain_gids?.map(normalizeChainGid)),
    statuses: unique(query.statuses),
    directions: query.direction && [query.direction],
    hashes: query.hash === undefined ? undefined : unique([query.hash, query.hash.toLowerCase()]),
    blocks: toRange(query.from_block, query.to_block),
    times: toRange(query.since, query.until),
    addressIds: query.addresses && (await findAddressIds(sql, projectId, query.addresses)),
    groups: unique(query.groups),
    search: query.search,
    publicKeyId: query.public_key_id && (await findPublicKeyId(sql, projectId, query.public_key_id)),
    assets: unique(query.asset_gids && (await canonicalizeAssetGids(query.asset_gids))),
    minAmount: query.min_amount,
    memo: query.memo,
    memoPrefix: query.memo_prefix,
  };
}

type FilterName = Exclude<keyof TransactionFilters, 'projectId'>;

/** The names of the filters that are set. */
export function listSetFilters(filters: TransactionFilters): FilterName[] {
  return (Object.keys(filters) as (keyof TransactionFilters)[]).filter(
    (name): name is FilterName => name !== 'projectId' && filters[name] !== undefined,
  );
}

function unique(values: readonly string[] | undefined): string[] | undefined {
  return values && [...new Set(values)];
}

function toRange<V>(from: V | undefined, to: V | undefined): Range<V> | undefined {
  return from === undefined && to === undefined ? undefined : { from, to };
}

async function findAddressIds(sql: Sql, projectId: string, addresses: readonly string[]): Promise<string[]> {
  const forms = (await Promise.all(addresses.map(listCanonicalForms))).flat();
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM addresses WHERE project_id = $1 AND chain_family = ANY ($2) AND address = ANY ($3)',
    [projectId, families, forms],
  );
  return rows.map(({ id }) => id);
}

/** The id of no key if the project has no such key. */
async function findPublicKeyId(sql: Sql, projectId: string, id: string): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM public_keys WHERE id = $1 AND project_id = $2',
    [id, projectId],
  );
  return rows[0]?.id ?? NOBODY;
}
