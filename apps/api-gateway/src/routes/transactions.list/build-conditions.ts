// SPDX-License-Identifier: Apache-2.0
import type { AddValue } from '../../lists/build-conditions.ts';
import { containsIn } from '../../lists/search-rows.ts';
import type { TransactionFilters } from './types.ts';

interface Conditions {
  /** Conditions over `transactions t`, with numbered parameters; the first is the project. */
  readonly where: string;
  readonly values: unknown[];
}

/**
 * The filters as SQL. Every value is a parameter. A list with one value is compared with `=`, so that an index returns
 * its rows in order.
 */
export function buildConditions(filters: TransactionFilters): Conditions {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value === undefined) return;
    conditions.push(condition(`$${values.push(value)}`));
  };
  const addList = (column: string, list: readonly string[] | undefined): void => {
    if (list?.length === 1) add((p) => `${column} = ${p}`, list[0]);
    else add((p) => `${column} = ANY (${p})`, list);
  };
  add((p) => `t.project_id = ${p}`, filters.projectId);
  addList('t.chain_gid', filters.chains);
  addList('t.status', filters.statuses);
  addList('t.direction', filters.directions);
  add((p) => `t.hash = ANY (${p})`, filters.hashes);
  // A transaction without a block is in no range of blocks.
  if (filters.blocks) conditions.push(`t.block_position BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER - 1}`);
  add((p) => `t.block_position >= ${p}`, filters.blocks?.from);
  add((p) => `t.block_position <= ${p}`, filters.blocks?.to);
  add((p) => `t.detected_at >= ${p}::timestamptz`, filters.times?.from);
  add((p) => `t.detected_at <= ${p}::timestamptz`, filters.times?.to);
  add(
    (p) =>
      `EXISTS (SELECT FROM transaction_addresses ta WHERE ta.transaction_id = t.id AND ta.address_id = ANY (${p}))`,
    filters.addressIds,
  );
  if (filters.groups !== undefined || filters.search !== undefined)
    conditions.push(touchesOwn(filters, (value) => `$${values.push(value)}`));
  add(
    (p) =>
      `EXISTS (SELECT FROM transaction_addresses ta WHERE ta.transaction_id = t.id AND ta.public_key_id = ${p}::uuid)`,
    filters.publicKeyId,
  );
  add(
    (p) => `EXISTS (SELECT FROM transfers r WHERE r.transaction_id = t.id AND r.asset_gid = ANY (${p}))`,
    filters.assets,
  );
  const assets = `$${values.length}`;
  if (filters.assets === undefined) add((p) => `t.amount_max >= ${p}::numeric`, filters.minAmount);
  else add((p) => movesAtLeast(p, assets), filters.minAmount);
  add((p) => hasMemo(`= ${p}`), filters.memo);
  add((p) => hasMemo(`^@ ${p}`), filters.memoPrefix);
  return { where: conditions.join(' AND '), values };
}

/** Whether a transaction touches an address of the project in one of the groups, with the text in its label or in itself. */
function touchesOwn({ groups, search }: TransactionFilters, add: AddValue): string {
  const conditions = [
    ...(groups === undefined ? [] : [`groups <> '{}' AND groups && ${add(groups)}::text[]`]),
    ...(search === undefined ? [] : [containsIn(['label', 'display'], add, search)]),
  ].join(' AND ');
  return `t.id IN (SELECT ta.transaction_id FROM transaction_addresses ta WHERE ta.address_id IN (
    SELECT id FROM addresses WHERE project_id = $1 AND ${conditions}))`;
}

/**
 * Whether the project's own part of a transaction has such a memo. The transactions are looked up by it first: hardly any has
 * one, and an index holds those alone.
 * @param comparison of a memo with a parameter
 */
function hasMemo(comparison: string): string {
  return `t.id = ANY (ARRAY(
    SELECT m.id FROM transactions m WHERE m.project_id = $1 AND m.memo IS NOT NULL
      AND (m.memo ${comparison} OR EXISTS (SELECT FROM unnest(string_to_array(m.memo, E'\\n')) AS l (line) WHERE l.line ${comparison}))
    UNION SELECT f.transaction_id FROM transfers f WHERE f.project_id = $1 AND f.memo IS NOT NULL AND f.memo ${comparison}))`;
}

/**
 * Whether a transaction moves one of the assets in at least this amount. What is unknown may be enough: it passes. If a project pays others out of its outputs, input and change do not count as amounts
 * moved (see set_amount_max).
 */
function movesAtLeast(amount: string, assets: string): string {
  return `EXISTS (SELECT FROM transfers r LEFT JOIN assets d ON d.gid = r.asset_gid
    WHERE r.transaction_id = t.id AND r.asset_gid = ANY (${assets}) AND d.type IS DISTINCT FROM 'nft' AND coalesce(r.amount_raw >= ${amount}::numeric * power(10::numeric, d.decimals), true)
      AND (r.monitored_addresses = '{}' OR NOT EXISTS (SELECT FROM transfers f WHERE f.transaction_id = t.id AND f.monitored_addresses = '{}')))`;
}
