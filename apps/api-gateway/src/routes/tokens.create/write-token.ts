import { splitAssetGid } from '@chainwatch/caip';
import type { TokenMetadata } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { askForBalances } from '../../ask-for-balances.ts';

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
  await askForBalances(sql, gid);
  return true;
}
