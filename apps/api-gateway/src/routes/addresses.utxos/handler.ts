// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { listParameter, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { utxoSchema, type UtxoRecord } from '../../records/utxo.ts';
import { listUtxoChains, type UtxoChain } from '../../records/utxo-chains.ts';
import { openPager, type Key, type Range } from '../../lists/pager.ts';
import { nativeOf } from '@chainwatch/chain-core';
import { formatAmount } from '@chainwatch/common/amounts';
import type { Sql } from '@chainwatch/data/db';
import { behindSql, keySql, orderSql, toListOrder } from '../../lists/list-order.ts';

export const listUtxos = defineRoute({
  method: 'GET',
  path: '/addresses/:address/utxos',
  permission: 'api:address:read',
  reads: 'standby',
  summary: 'Unspent outputs of an address, as of the last processed block; empty on account-based chains',
  params: addressParams,
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['block_number', 'amount'], '-block_number'),
    chain_gids: listParameter(chainGidSchema),
  }),
  responses: { 200: pageSchema(utxoSchema) },
  handle: async ({ params, query, principal }, deps) => {
    const { id, address, chainFamily } = await findAddress(deps, principal, params.address);
    const wanted = query.chain_gids?.map(normalizeChainGid);
    const chains = (await listUtxoChains(chainFamily)).filter(
      ({ network }) => wanted === undefined || wanted.includes(network.gid),
    );
    const pager = openPager({ sealer: deps.sealer, principal, list: `utxos ${id}`, query });
    const wantedCoins = { addressId: id, address, chains, sort_by: query.sort_by, range: pager.range };
    const found = await queryCoins(deps.db, wantedCoins);
    const { rows, nextCursor } = pager.close(found.rows);
    const items = rows.map(({ record }) => record);
    return { status: 200, body: toPage(items, { total: found.total, request: query, nextCursor }) };
  },
});

interface CoinQuery {
  readonly addressId: string;
  readonly address: string;
  readonly chains: readonly UtxoChain[];
  readonly range: Range;
  readonly sort_by: 'block_number' | '-block_number' | 'amount' | '-amount';
}

interface CoinRow {
  readonly key: Key;
  readonly record: UtxoRecord;
}

interface Row {
  readonly key: Key;
  readonly chain_gid: string;
  readonly txid: string;
  readonly vout: number;
  readonly amount_raw: string;
  readonly is_coinbase: boolean;
  readonly block_number: number;
  readonly confirmations: number;
}

const ORDERS = {
  block_number: { name: 'u.block_number', type: 'bigint' },
  amount: { name: 'u.amount_raw', type: 'numeric' },
} as const;
const TIEBREAK = [
  { name: 'u.chain_gid', type: 'text' },
  { name: 'u.txid', type: 'text' },
  { name: 'u.vout', type: 'integer' },
] as const;
const UNSPENT = 'utxos u WHERE u.chain_gid = ANY ($1) AND u.address = $2 AND u.spent_block_number IS NULL';
/**
 * While the address's earlier coins are being searched for, the known ones come from others who watch it: they are left
 * out.
 */
const OWN = `NOT EXISTS (SELECT FROM address_backfills f LEFT JOIN address_watches w ON w.address_id = f.address_id AND w.chain_gid = f.chain_gid
  WHERE f.address_id = $3 AND f.chain_gid = u.chain_gid AND f.status <> 'complete' AND (w.from_block IS NULL OR u.block_number < w.from_block))`;

/** One page of the coins that an address has on these chains, and how many there are in all. */
async function queryCoins(sql: Sql, query: CoinQuery): Promise<{ rows: readonly CoinRow[]; total: number }> {
  const chains = new Map<string, UtxoChain>(query.chains.map((chain) => [chain.network.gid, chain]));
  const isSearching = await hasOpenBackfill(sql, query.addressId);
  const values = [[...chains.keys()], query.address, ...(isSearching ? [query.addressId] : [])];
  const source = isSearching ? `${UNSPENT} AND ${OWN}` : UNSPENT;
  const order = toListOrder(query.sort_by, ORDERS, TIEBREAK);
  const { offset, limit, after } = query.range;
  const parameters: unknown[] = [...values];
  const behind =
    after === undefined ? 'true' : behindSql(order, after, (value) => `$${parameters.push(value)}`);
  const [page, count] = await Promise.all([
    // The skipped rows are read from the index alone.
    sql.query<Row>(
      `SELECT u.*, u.amount_raw::text, ${keySql(order)} AS key, GREATEST(0, coalesce(s.head_number - u.block_number + 1, 0)) AS confirmations
       FROM (SELECT u.chain_gid, u.txid, u.vout FROM ${source} AND ${behind} ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}) c
       JOIN utxos u USING (chain_gid, txid, vout) LEFT JOIN ingestor_states s ON s.chain_gid = u.chain_gid
       ORDER BY ${orderSql(order)}`,
      parameters,
    ),
    sql.query<{ total: number }>(`SELECT count(*) AS total FROM ${source}`, values),
  ]);
  return {
    rows: page.rows.map((row) => ({ key: row.key, record: toRecord(row, chains.get(row.chain_gid)!) })),
    total: count.rows[0]!.total,
  };
}

async function hasOpenBackfill(sql: Sql, addressId: string): Promise<boolean> {
  const { rows } = await sql.query(
    `SELECT FROM address_backfills WHERE address_id = $1 AND status <> 'complete' LIMIT 1`,
    [addressId],
  );
  return rows.length > 0;
}

function toRecord(row: Row, { network, coinbaseMaturity }: UtxoChain): UtxoRecord {
  return {
    txid: row.txid,
    vout: row.vout,
    amount: formatAmount(BigInt(row.amount_raw), nativeOf(network).decimals),
    amount_raw: row.amount_raw,
    asset_gid: nativeOf(network).gid,
    chain_gid: row.chain_gid,
    block_number: row.block_number,
    is_coinbase: row.is_coinbase,
    confirmations: row.confirmations,
    is_mature: !row.is_coinbase || row.confirmations >= coinbaseMaturity,
  };
}
