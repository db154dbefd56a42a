import type { Logger } from '@chainwatch/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainClient, TokenMetadata } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/db';
import type { AssetRegistry } from './asset-registry.ts';

const LOOK_MS = 1_000;
const BATCH = 50;
const REFRESH_OVERLAP_MS = 60_000;
interface DiscoveryDeps {
  readonly db: Database;
  readonly client: ChainClient;
  readonly chainGid: string;
  readonly assets: AssetRegistry;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Asks the chain about assets whose metadata is unknown, until it answers: `active`, with its holders read, or
 * `invalid`.
 */
export async function discoverAssets(deps: DiscoveryDeps): Promise<void> {
  const { signal, logger, chainGid } = deps;
  let refreshedAt = new Date(Date.now() - REFRESH_OVERLAP_MS);
  while (!signal.aborted) {
    try {
      const startedAt = new Date();
      await deps.assets.refresh(new Date(refreshedAt.getTime() - REFRESH_OVERLAP_MS));
      refreshedAt = startedAt;
      while ((await discoverOnce(deps)) === BATCH && !signal.aborted);
    } catch (error) {
      if (!signal.aborted)
        logger.warn({ chain_gid: chainGid, err: error }, 'assets could not be discovered, retrying');
    }
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** One batch of assets that are due. Returns how many there were. */
async function discoverOnce(deps: Omit<DiscoveryDeps, 'logger'>): Promise<number> {
  const { db, client, chainGid, assets, signal } = deps;
  if (client.readTokens === undefined) return 0;
  // The due time moves before the node is asked: a crash here costs one interval.
  const { rows } = await db.query<{ gid: string }>(
    `UPDATE assets SET attempt_count = attempt_count + 1, next_attempt_at = now() + least(5 * 2 ^ least(attempt_count, 10), 3600) * interval '1 second'
     WHERE gid IN (SELECT gid FROM assets WHERE chain_gid = $1 AND status = 'unknown' AND next_attempt_at <= now()
                   ORDER BY next_attempt_at LIMIT ${BATCH}) RETURNING gid`,
    [chainGid],
  );
  if (rows.length === 0) return 0;
  const metadata = await client.readTokens(
    rows.map((row) => row.gid),
    signal,
  );
  for (const [position, { gid }] of rows.entries()) {
    const found = metadata[position];
    if (await saveDiscovery(db, { chainGid, gid, found }))
      if (found !== undefined) assets.learn(gid, found.decimals);
  }
  return rows.length;
}

async function saveDiscovery(
  db: Database,
  {
    chainGid,
    gid,
    found,
  }: { readonly chainGid: string; readonly gid: string; readonly found: TokenMetadata | undefined },
): Promise<boolean> {
  return db.transaction(async (sql) => {
    // Meanwhile no project may discover the asset: it would not hear the result (migration project_assets).
    await sql.query('SELECT FROM analyzer_states WHERE chain_gid = $1 FOR UPDATE', [chainGid]);
    const { rowCount } = await sql.query(
      `UPDATE assets SET status = $2, name = $3, symbol = $4, decimals = $5, updated_at = now() WHERE gid = $1 AND status = 'unknown'`,
      [
        gid,
        found === undefined ? 'invalid' : 'active',
        found?.name ?? null,
        found?.symbol ?? null,
        found?.decimals ?? null,
      ],
    );
    if (rowCount !== 1 || found === undefined) return rowCount === 1;
    // Addresses that moved it meanwhile hold it now: their balances were not read while it was unknown.
    await sql.query(
      `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
       SELECT DISTINCT $1, a.id, $2, 'touched' FROM transfers t
       JOIN transaction_addresses ta ON ta.transaction_id = t.transaction_id
       JOIN addresses a ON a.id = ta.address_id AND a.address = ANY(t.monitored_addresses) AND a.is_monitored
       WHERE t.asset_gid = $2`,
      [chainGid, gid],
    );
    return true;
  });
}
