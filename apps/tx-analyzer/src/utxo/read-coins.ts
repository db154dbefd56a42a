// SPDX-License-Identifier: Apache-2.0
import type { Outpoint } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { outpointKey } from '../model/coin.ts';
import type { KnownCoin } from '../model/coin.ts';

interface Row {
  readonly txid: string;
  readonly vout: number;
  readonly address: string;
  readonly amount_raw: string;
  readonly is_unproved: boolean;
}

/** Which of `outpoints` the database knows as coins of watched addresses, spent or not, by `outpointKey`. */
export async function readCoins(
  sql: Sql,
  chainGid: string,
  outpoints: readonly Outpoint[],
): Promise<Map<string, KnownCoin>> {
  if (outpoints.length === 0) return new Map();
  const { rows } = await sql.query<Row>({
    name: 'read_coins',
    // Those that count come last: they take the place of the same coin without evidence.
    text: `WITH o (txid, vout) AS MATERIALIZED (SELECT * FROM unnest($2::text[], $3::integer[]))
           SELECT c.txid, c.vout, c.address, c.amount_raw, true AS is_unproved FROM o JOIN unproved_coins c ON c.chain_gid = $1 AND c.txid = o.txid AND c.vout = o.vout
           UNION ALL
           SELECT u.txid, u.vout, u.address, u.amount_raw, false FROM o JOIN utxos u ON u.chain_gid = $1 AND u.txid = o.txid AND u.vout = o.vout`,
    values: [chainGid, outpoints.map(({ txid }) => txid), outpoints.map(({ vout }) => vout)],
  });
  return new Map(
    rows.map((row) => [
      outpointKey(row),
      {
        address: row.address,
        amountRaw: BigInt(row.amount_raw),
        ...(row.is_unproved && { isUnproved: true }),
      },
    ]),
  );
}
