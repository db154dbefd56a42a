// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { NATIVE, network } from '@chainwatch/data/testing';
import type { SpecBlock, SpecTransaction } from './spec-chain.ts';

/** Written as the analyzer does: a second time with another block replaces the first. */
export async function insertTransaction(
  sql: Sql,
  {
    block,
    transaction: { hash, assetGid, from, to, amount, fee },
    row: { id, projectId, watched },
  }: {
    readonly block: SpecBlock;
    readonly transaction: SpecTransaction;
    readonly row: {
      readonly id: string;
      readonly projectId: string;
      readonly watched: readonly { readonly address: string }[];
    };
  },
): Promise<void> {
  const { rowCount } = await sql.query(
    `DELETE FROM transfers WHERE transaction_id = $1 AND EXISTS (SELECT 1 FROM transactions WHERE id = $1 AND block_hash <> $2)`,
    [id, block.hash],
  );
  if (rowCount !== 0) await sql.query('DELETE FROM transaction_addresses WHERE transaction_id = $1', [id]);
  await sql.query(
    `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, tx_index, required_confirmations, fee_asset_gid, fee_amount_raw, fee_payer)
     VALUES ($1, $2, $3, $4, 'detected', 'in', $5, $6, 0, 3, $7, $8, $9)
     ON CONFLICT (id) DO UPDATE SET status = 'detected', block_number = excluded.block_number, block_hash = excluded.block_hash`,
    [
      id,
      projectId,
      network.gid,
      hash,
      block.number,
      block.hash,
      fee === undefined ? null : NATIVE,
      fee ?? null,
      fee === undefined ? null : (from ?? null),
    ],
  );
  await sql.query(
    `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses) VALUES ($1, 0, $2, $3, 'token', $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    [
      id,
      projectId,
      network.gid,
      assetGid,
      from ?? null,
      to ?? null,
      amount,
      watched.map(({ address }) => address),
    ],
  );
}
