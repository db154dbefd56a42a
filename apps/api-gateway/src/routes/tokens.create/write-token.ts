// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/caip';
import type { TokenMetadata } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { askForBalances } from '../../assets/ask-for-balances.ts';
import { lockChain } from '../../assets/lock-chain.ts';

/** Before every address of a project, as `project_assets.read_after` and `read_after_id`. */
const FIRST = ['-infinity', '00000000-0000-0000-0000-000000000000'];

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
 * balances of the addresses that moved it before, and has the project's other addresses read page by page. False if another
 * request of the project was faster.
 */
export async function writeToken(
  sql: Sql,
  { gid, chainGid, projectId, isListed, metadata }: TokenWrite,
): Promise<boolean> {
  await lockChain(sql, chainGid);
  const isLearned = await learnToken(sql, { gid, chainGid, metadata });
  const added = await sql.query(
    `INSERT INTO project_assets (project_id, asset_gid, read_after, read_after_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT (project_id, asset_gid) DO NOTHING`,
    [projectId, gid, ...FIRST],
  );
  const isAdded = added.rowCount === 1;
  if (isLearned) await askForBalances(sql, gid);
  if (isLearned && !isAdded)
    await sql.query(
      'UPDATE project_assets SET read_after = $3, read_after_id = $4 WHERE project_id = $1 AND asset_gid = $2',
      [projectId, gid, ...FIRST],
    );
  return isAdded || (isListed && isLearned);
}

async function learnToken(
  sql: Sql,
  {
    gid,
    chainGid,
    metadata: { name, symbol, decimals, isNft, uiMultiplier },
  }: { readonly gid: string; readonly chainGid: string; readonly metadata: TokenMetadata },
): Promise<boolean> {
  const { namespace, reference } = splitAssetGid(gid);
  const { rowCount } = await sql.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, ui_multiplier, ui_read_at)
     VALUES ($1, $2, $3, $4, $8, 'active', $5, $6, $7, $9, CASE WHEN $9::jsonb IS NOT NULL THEN now() END)
     ON CONFLICT (gid) DO UPDATE SET status = 'active', type = $8, name = $5, symbol = $6, decimals = $7, updated_at = now(),
       ui_multiplier = $9, ui_read_at = excluded.ui_read_at
     WHERE assets.status <> 'active' OR assets.decimals IS NULL AND $7 IS NOT NULL`,
    [
      ...[gid, chainGid, namespace, reference, name, symbol, decimals ?? null],
      isNft === true ? 'nft' : 'fungible',
      uiMultiplier === undefined ? null : JSON.stringify(uiMultiplier),
    ],
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
