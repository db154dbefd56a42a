import { findNetwork, normalizeChainGid } from '@chainwatch/chain-registry';
import { splitAssetGid } from '@chainwatch/caip';
import { tryAssetGid } from '../../find-asset.ts';
import { listCanonicalForms } from '../../parse-address.ts';
import type { TransactionQuery } from './handler.ts';

interface Conditions {
  /** Over `transactions t`, with numbered parameters. */
  readonly where: string;
  readonly values: unknown[];
}

/** The filters of decisions.md §3 as SQL. Every value is a parameter. */
export async function buildConditions(projectId: string, query: TransactionQuery): Promise<Conditions> {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  add((p) => `t.project_id = ${p}`, projectId);
  add((p) => `t.chain_gid = ANY (${p})`, query.chain_gids?.map(normalizeChainGid));
  add((p) => `t.status = ANY (${p})`, query.statuses);
  add((p) => `t.direction = ${p}`, query.direction);
  add((p) => `t.hash = ANY (${p})`, query.hash && [query.hash, query.hash.toLowerCase()]);
  add((p) => `t.block_number >= ${p}`, query.from_block);
  add((p) => `t.block_number <= ${p}`, query.to_block);
  add((p) => `t.detected_at >= ${p}::timestamptz`, query.since);
  add((p) => `t.detected_at <= ${p}::timestamptz`, query.until);
  add(
    (p) => `EXISTS (SELECT FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id
      WHERE ta.transaction_id = t.id AND a.project_id = t.project_id AND a.address = ANY (${p}))`,
    query.addresses && (await canonicalAddresses(query.addresses)),
  );
  add(
    (p) => `EXISTS (SELECT FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id
      WHERE ta.transaction_id = t.id AND a.project_id = t.project_id AND a.public_key_id = ${p}::uuid)`,
    query.public_key_id,
  );
  const assets = query.asset_gids && (await canonicalAssets(query.asset_gids));
  add((p) => `EXISTS (SELECT FROM transfers r WHERE r.transaction_id = t.id AND r.asset_gid = ANY (${p}))`, assets);
  const ofAssets = assets === undefined ? '' : `AND r.asset_gid = ANY ($${values.length})`;
  // An amount needs the asset's decimals: transfers of unknown assets do not match. Where a project pays others out of
  // its outputs, input and change are no amounts that moved.
  add(
    (p) => `EXISTS (SELECT FROM transfers r JOIN assets d ON d.gid = r.asset_gid
      WHERE r.transaction_id = t.id ${ofAssets} AND r.amount_raw >= ${p}::numeric * power(10::numeric, d.decimals)
        AND (r.monitored_addresses = '{}' OR NOT EXISTS (SELECT FROM transfers f WHERE f.transaction_id = t.id AND f.monitored_addresses = '{}')))`,
    query.min_amount,
  );
  return { where: conditions.join(' AND '), values };
}

async function canonicalAddresses(addresses: readonly string[]): Promise<string[]> {
  return (await Promise.all(addresses.map(listCanonicalForms))).flat();
}

/** Other spellings of an asset find it too; what the family refuses matches nothing. */
async function canonicalAssets(gids: readonly string[]): Promise<string[]> {
  const forms = await Promise.all(
    gids.map(async (gid) => {
      const { chainGid, namespace, reference } = splitAssetGid(gid);
      const network = findNetwork(chainGid);
      return (network && (await tryAssetGid(network, `${namespace}:${reference}`))) ?? gid;
    }),
  );
  return forms;
}
