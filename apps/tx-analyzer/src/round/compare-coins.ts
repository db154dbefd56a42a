// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Coin, CoinScan } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { CoinDifference } from './coin-difference.ts';

/** Of one statement. */
const ADDRESSES_MAX = 1_000;

interface Row {
  readonly txid: string | null;
  readonly vout: number;
  readonly address: string;
  readonly known_raw: string | null;
  readonly told_raw: string | null;
  readonly is_coinbase: boolean | null;
  readonly block_number: number | null;
}

/**
 * Compares the coins of a scan with those that stood at its block: what later blocks did is undone. Undefined: the block is
 * not analysed, or not canonical.
 */
export async function compareCoins(
  sql: Sql,
  chain: Pick<ChainContext, 'gid' | 'family'>,
  { addresses, scan }: { readonly addresses: readonly string[]; readonly scan: CoinScan },
): Promise<CoinDifference[] | undefined> {
  const byAddress = new Map<string, Coin[]>();
  for (const coin of scan.coins)
    if (coin.blockNumber <= scan.at.number)
      byAddress.set(coin.address, [...(byAddress.get(coin.address) ?? []), coin]);
  const all: CoinDifference[] = [];
  for (let start = 0; start < addresses.length; start += ADDRESSES_MAX) {
    const some = addresses.slice(start, start + ADDRESSES_MAX);
    const coins = some.flatMap((address) => byAddress.get(address) ?? []);
    const found = await compareSome(sql, chain, { at: scan.at, addresses: some, coins });
    if (found === undefined) return undefined;
    all.push(...found);
  }
  return all;
}

/**
 * In one snapshot. Left out are addresses whose import is not complete, coins from before the block that a rescan began at,
 * and what waits for evidence (`unproved_coins`, `unproved_spends`). A spend that a transaction made stands, whatever a node
 * says.
 */
async function compareSome(
  sql: Sql,
  { gid, family }: Pick<ChainContext, 'gid' | 'family'>,
  {
    at,
    addresses,
    coins,
  }: { readonly at: BlockRef; readonly addresses: readonly string[]; readonly coins: readonly Coin[] },
): Promise<CoinDifference[] | undefined> {
  const params = new SqlParams();
  const [chain, number, hash] = [
    params.add(gid, 'text'),
    params.add(at.number, 'bigint'),
    params.add(at.hash, 'text'),
  ];
  const told = params.unnest(coins, [
    ['text', (coin) => coin.txid],
    ['integer', (coin) => coin.vout],
    ['text', (coin) => coin.address],
    ['numeric', (coin) => coin.amountRaw.toString()],
    ['boolean', (coin) => coin.isCoinbase],
    ['bigint', (coin) => coin.blockNumber],
  ]);
  const { rows } = await sql.query<Row>(
    `WITH standing AS MATERIALIZED (
       SELECT FROM canonical_blocks(${chain}, ${number}, ${number}) b JOIN analyzer_states s ON s.chain_gid = b.chain_gid
       WHERE b.hash = ${hash} AND b.status IN ('processed', 'confirmed') AND s.cursor_number >= ${number}
     ), owners AS MATERIALIZED (
       SELECT a.address, min(CASE WHEN f.method = 'rescan' THEN f.from_block ELSE 0 END) AS from_block
       FROM addresses a JOIN address_backfills f ON f.address_id = a.id AND f.chain_gid = ${chain} AND f.status = 'complete'
       WHERE a.chain_family = ${params.add(family, 'text')} AND a.address = ANY(${params.add(addresses, 'text[]')}) AND a.is_monitored
       GROUP BY a.address
     ), told AS MATERIALIZED (SELECT * FROM ${told} AS t (txid, vout, address, amount_raw, is_coinbase, block_number))
     SELECT t.txid, t.vout, t.address, CASE WHEN u.spent_block_number IS NULL AND u.address = t.address THEN u.amount_raw::text END AS known_raw,
       t.amount_raw::text AS told_raw, t.is_coinbase, t.block_number
     FROM standing CROSS JOIN told t JOIN owners o ON o.address = t.address AND t.block_number >= o.from_block
     LEFT JOIN utxos u ON u.chain_gid = ${chain} AND u.txid = t.txid AND u.vout = t.vout
     WHERE (u.txid IS NULL OR u.spent_by IS NULL AND (u.spent_block_number <= ${number} OR u.address <> t.address OR u.amount_raw <> t.amount_raw))
       AND NOT EXISTS (SELECT FROM unproved_coins c WHERE c.chain_gid = ${chain} AND c.txid = t.txid AND c.vout = t.vout)
     UNION ALL
     SELECT u.txid, u.vout, u.address, u.amount_raw::text, NULL, NULL, NULL
     FROM standing CROSS JOIN owners o JOIN utxos u ON u.chain_gid = ${chain} AND u.address = o.address AND u.block_number <= ${number} AND u.spent_block_number IS NULL
     WHERE NOT EXISTS (SELECT FROM told t WHERE t.txid = u.txid AND t.vout = u.vout AND t.address = u.address)
       AND NOT EXISTS (SELECT FROM unproved_spends s WHERE s.chain_gid = ${chain} AND s.txid = u.txid AND s.vout = u.vout)
     UNION ALL
     SELECT NULL, 0, '', NULL, NULL, NULL, NULL FROM standing`,
    params.values,
  );
  if (rows.length === 0) return undefined;
  return rows.flatMap(toDifference);
}

/** Without the row that says that the block stands. */
function toDifference(row: Row): CoinDifference[] {
  if (row.txid === null) return [];
  const { txid, vout, address } = row;
  return [
    {
      ...{ txid, vout, address },
      ...(row.known_raw !== null && { knownRaw: BigInt(row.known_raw) }),
      ...(row.told_raw !== null && {
        told: {
          amountRaw: BigInt(row.told_raw),
          isCoinbase: row.is_coinbase ?? false,
          blockNumber: row.block_number ?? 0,
        },
      }),
    },
  ];
}
