import { splitAssetGid } from '@chainwatch/caip';
import type { TokenMetadata } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { askForBalances } from '../../assets/ask-for-balances.ts';
import { lockChain } from '../../assets/lock-chain.ts';

interface TokenWrite {
  readonly gid: string;
  readonly chainGid: string;
  readonly projectId: string;
  /** The project had discovered the token before its metadata was known. */
  readonly isListed: boolean;
  readonly metadata: TokenMetadata;
}

/**
 * Puts the token on the project's list, and stores its metadata if the service does not have it. Then asks for the
 * balances of the addresses that moved it before. False if another request of the project was faster.
 */
export async function writeToken(
  sql: Sql,
  { gid, chainGid, projectId, isListed, metadata }: TokenWrite,
): Promise<boolean> {
  await lockChain(sql, chainGid);
  const isLearned = await learnToken(sql, { gid, chainGid, metadata });
  const added = await sql.query(
    'INSERT INTO project_assets (project_id, asset_gid) VALUES ($1, $2) ON CONFLICT (project_id, asset_gid) DO NOTHING',
    [projectId, gid],
  );
  if (isLearned) await askForBalances(sql, gid);
  return added.rowCount === 1 || (isListed && isLearned);
}

async function learnToken(
  sql: Sql,
  {
    gid,
    chainGid,
    metadata: { name, symbol, decimals },
  }: { readonly gid: string; readonly chainGid: string; readonly metadata: TokenMetadata },
): Promise<boolean> {
  const { namespace, reference } = splitAssetGid(gid);
  const { rowCount } = await sql.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals)
     VALUES ($1, $2, $3, $4, 'fungible', 'active', $5, $6, $7)
     ON CONFLICT (gid) DO UPDATE SET status = 'active', name = $5, symbol = $6, decimals = $7, updated_at = now()
     WHERE assets.status <> 'active' OR assets.decimals IS NULL AND $7 IS NOT NULL`,
    [gid, chainGid, namespace, reference, name, symbol, decimals ?? null],
  );
  return rowCount === 1;
}

/**
 * Records that a contract is no token. The analyzer had discovered the asset, and has not asked about it yet
 * (decisions.md 1.4).
 */
export async function noteNoToken(sql: Sql, chainGid: string, gid: string): Promise<void> {
  await lockChain(sql, chainGid);
  await sql.query(
    `UPDATE assets SET status = 'invalid', updated_at = now() WHERE gid = $1 AND status = 'unknown'`,
    [gid],
  );
}
