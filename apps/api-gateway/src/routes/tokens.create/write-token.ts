import { splitAssetGid } from '@chainwatch/caip';
import type { TokenMetadata } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';

interface TokenWrite {
  readonly gid: string;
  readonly chainGid: string;
  readonly metadata: TokenMetadata;
}

/**
 * Writes the token, or completes the row that the analyzer discovered, and asks for the balances of the addresses that
 * moved it before it was active. False when somebody else made it active meanwhile.
 */
export async function writeToken(sql: Sql, { gid, chainGid, metadata }: TokenWrite): Promise<boolean> {
  const { namespace, reference } = splitAssetGid(gid);
  const { rowCount } = await sql.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals)
     VALUES ($1, $2, $3, $4, 'fungible', 'active', $5, $6, $7)
     ON CONFLICT (gid) DO UPDATE SET status = 'active', name = $5, symbol = $6, decimals = $7, updated_at = now()
     WHERE assets.status <> 'active' AND assets.archived_at IS NULL`,
    [gid, chainGid, namespace, reference, metadata.name, metadata.symbol, metadata.decimals],
  );
  if (rowCount === 0) return false;
  await sql.query(
    `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
     SELECT DISTINCT t.chain_gid, a.id, t.asset_gid, 'touched'
     FROM transfers t JOIN addresses a ON a.project_id = t.project_id AND a.is_monitored AND a.address = ANY (t.monitored_addresses)
     WHERE t.asset_gid = $1`,
    [gid],
  );
  return true;
}
