// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

/** A transaction of the project, and what it moved at monitored addresses. */
export interface MovedTransaction {
  readonly id: string;
  readonly chainGid: string;
  readonly hash: string;
  /** Null: in no block. */
  readonly time: Date | null;
  /** Why it is not final: a word, a colon, and a sentence. Null where it is. */
  readonly pending: string | null;
  readonly isFailed: boolean;
  /** In no block any more. */
  readonly isDropped: boolean;
  readonly movements: readonly Movement[];
}

/** A transfer as one monitored address sees it, or a fee that one paid. */
export interface Movement {
  /** Of the transfer in its transaction; -1: the fee. */
  readonly place: number;
  readonly address: string;
  readonly assetGid: string;
  readonly side: 'in' | 'out' | 'self' | 'fee';
  readonly amount: bigint;
}

interface Row {
  readonly id: string;
  readonly chain_gid: string;
  readonly hash: string;
  readonly block_timestamp: Date | null;
  readonly pending: string | null;
  readonly is_failed: boolean;
  readonly is_dropped: boolean;
  readonly place: number | null;
  readonly address: string;
  readonly asset_gid: string;
  readonly side: Movement['side'];
  readonly amount: string;
}

/** Transactions of the project, those that it has. What failed moved nothing but its fee; NFTs are left out. */
export async function readMovements(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
): Promise<MovedTransaction[]> {
  const { rows } = await sql.query<Row>(MOVEMENTS_SQL, [projectId, ids]);
  const transactions = new Map<string, MovedTransaction & { readonly movements: Movement[] }>();
  for (const row of rows) {
    let transaction = transactions.get(row.id);
    if (transaction === undefined) {
      transaction = {
        ...{
          id: row.id,
          chainGid: row.chain_gid,
          hash: row.hash,
          time: row.block_timestamp,
          pending: row.pending,
        },
        ...{ isFailed: row.is_failed, isDropped: row.is_dropped, movements: [] },
      };
      transactions.set(row.id, transaction);
    }
    const { place, address, asset_gid: assetGid, side, amount } = row;
    if (place !== null)
      transaction.movements.push({ place, address, assetGid, side, amount: BigInt(amount) });
  }
  return [...transactions.values()];
}

const MOVEMENTS_SQL = `
  SELECT t.id, t.chain_gid, t.hash, t.block_timestamp, t.status = 'failed' AS is_failed,
    t.status = 'failed' AND t.block_hash IS NULL AS is_dropped,
    CASE
      WHEN t.status = 'reorged' THEN 'reorged: its block left the chain'
      WHEN t.status = 'pending' THEN 'pending: it is in no block yet'
      WHEN t.is_withheld OR t.is_unproved OR t.verification = 'unproved' THEN 'unproved: its block could not be proved'
      WHEN t.verification = 'settling' THEN 'settling: the proof of its block follows'
      WHEN t.confirmed_at IS NULL THEN 'detected: it has too few confirmations'
    END AS pending,
    m.place, m.address, m.asset_gid, m.side, m.amount::text AS amount
  FROM unnest($2::uuid[]) AS p (id) JOIN transactions t ON t.id = p.id AND t.project_id = $1
  LEFT JOIN LATERAL (
    SELECT r.index AS place, a.address, r.asset_gid, r.amount_raw AS amount,
      CASE WHEN r.from_address = r.to_address THEN 'self' WHEN r.to_address = a.address THEN 'in' ELSE 'out' END AS side
    FROM transfers r CROSS JOIN LATERAL (SELECT DISTINCT m.address FROM unnest(r.monitored_addresses) AS m (address)) a
    WHERE r.transaction_id = t.id AND t.status <> 'failed' AND a.address IN (r.from_address, r.to_address)
      AND (SELECT k.type FROM assets k WHERE k.gid = r.asset_gid) IS DISTINCT FROM 'nft'
    UNION ALL
    SELECT -1, t.fee_payer, t.fee_asset_gid, t.fee_amount_raw, 'fee'
    WHERE NOT (t.status = 'failed' AND t.block_hash IS NULL) AND t.fee_asset_gid IS NOT NULL AND t.fee_amount_raw IS NOT NULL
      AND EXISTS (SELECT FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id WHERE ta.transaction_id = t.id AND a.address = t.fee_payer)
  ) m ON true
  ORDER BY t.id, m.place, m.address`;
