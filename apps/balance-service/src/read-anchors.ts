import type { Sql } from '@chainwatch/db';
import type { Reading } from './target.ts';

/** What was known of a balance before a reading. */
export interface Anchor {
  /** The last reading on the canonical chain. */
  readonly last: { readonly amountRaw: bigint; readonly blockNumber: number; readonly blockHash: string } | undefined;
  /** What transfers and fees moved between that reading and this one, base units. */
  readonly explainedRaw: bigint;
  /** What customers were told last. */
  readonly told: { readonly amountRaw: bigint; readonly changeCount: number } | undefined;
}

/** In the order of `readings`. Readings in orphaned blocks are removed first, with the adjustments made of them. */
export async function readAnchors(sql: Sql, chainGid: string, readings: readonly Reading[]): Promise<Anchor[]> {
  const ids = readings.map((reading) => reading.addressId);
  const assets = readings.map((reading) => reading.assetGid);
  for (const table of ['balance_history', 'adjustments']) {
    await sql.query(
      `DELETE FROM ${table} h USING unnest($2::uuid[], $3::text[]) AS t (address_id, asset_gid), blocks b
       WHERE h.address_id = t.address_id AND h.asset_gid = t.asset_gid AND b.chain_gid = $1 AND b.hash = h.block_hash AND b.status = 'reorged'`,
      [chainGid, ids, assets],
    );
  }
  const { rows } = await sql.query<{ last_raw: string | null; last_number: number | null; last_hash: string | null; explained_raw: string | null; told_raw: string | null; change_count: number | null }>(
    `SELECT h.amount_raw AS last_raw, h.block_number AS last_number, h.block_hash AS last_hash, b.amount_raw AS told_raw, b.change_count, e.explained_raw
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY AS t (address_id, asset_gid, address, number, position)
     LEFT JOIN LATERAL (
       SELECT amount_raw, block_number, block_hash FROM balance_history h
       WHERE h.address_id = t.address_id AND h.asset_gid = t.asset_gid ORDER BY block_number DESC LIMIT 1
     ) h ON true
     LEFT JOIN balances b ON b.address_id = t.address_id AND b.asset_gid = t.asset_gid
     LEFT JOIN LATERAL (
       SELECT sum(moved) AS explained_raw FROM transaction_addresses ta
       JOIN transactions x ON x.id = ta.transaction_id AND x.chain_gid = $1 AND x.status <> 'reorged'
                          AND x.block_number > h.block_number AND x.block_number <= t.number
       CROSS JOIN LATERAL (
         SELECT CASE WHEN f.to_address = t.address THEN f.amount_raw ELSE 0 END - CASE WHEN f.from_address = t.address THEN f.amount_raw ELSE 0 END AS moved
           FROM transfers f WHERE f.transaction_id = x.id AND f.asset_gid = t.asset_gid
         UNION ALL
         SELECT -x.fee_amount_raw WHERE x.fee_payer = t.address AND x.fee_asset_gid = t.asset_gid
       ) m
       WHERE ta.address_id = t.address_id
     ) e ON true
     ORDER BY t.position`,
    [chainGid, ids, assets, readings.map((reading) => reading.address), readings.map((reading) => reading.block.number)],
  );
  return rows.map((row) => ({
    last: row.last_raw === null || row.last_number === null || row.last_hash === null ? undefined : { amountRaw: BigInt(row.last_raw), blockNumber: row.last_number, blockHash: row.last_hash },
    explainedRaw: BigInt(row.explained_raw ?? '0'),
    told: row.told_raw === null ? undefined : { amountRaw: BigInt(row.told_raw), changeCount: row.change_count ?? 0 },
  }));
}
