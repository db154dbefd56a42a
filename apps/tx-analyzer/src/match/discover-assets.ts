// SPDX-License-Identifier: Apache-2.0
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { describePublicly, type ChainClient, type TokenMetadata, ChainError } from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/data/db';
import {
  endSetAside,
  retryAll,
  findPoison,
  isItemFault,
  RETRY_EVERY,
  setAside,
  type Poison,
} from '@chainwatch/data/quarantine';
import type { AssetRegistry } from './asset-registry.ts';
import { correctToken } from './correct-token.ts';
import { multiplierJson, refreshMultipliers } from './refresh-multipliers.ts';

const LOOK_MS = 1_000;
const BATCH = 50;
const REFRESH_OVERLAP_MS = 60_000;
/**
 * What is read again: what somebody asked for, and for some hours (the index has the same number) tokens whose contract did not
 * say its decimals: a proxy that is set up later. What never says them is not asked for ever.
 */
const IS_REREAD = `(is_reread_due OR status = 'active' AND decimals IS NULL AND type <> 'nft' AND attempt_count < 12)`;

interface DiscoveryDeps {
  readonly db: Database;
  readonly client: ChainClient;
  readonly chainGid: string;
  readonly assets: AssetRegistry;
  readonly health: WorkerHealth;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Asks the chain about assets whose metadata is unknown, until it answers: `active`, with its holders read, or
 * `invalid`. Those that are to be read again are asked about once more. One with which a batch fails is set aside.
 */
export async function discoverAssets(deps: DiscoveryDeps): Promise<void> {
  const { db, signal, logger, chainGid, health } = deps;
  let isStarted = false;
  let refreshedAt = new Date(Date.now() - REFRESH_OVERLAP_MS);
  while (!signal.aborted) {
    try {
      const startedAt = new Date();
      await deps.assets.refresh(new Date(refreshedAt.getTime() - REFRESH_OVERLAP_MS));
      refreshedAt = startedAt;
      if (!isStarted) await retryAll(db, chainGid, 'assets');
      isStarted = true;
      await askAgainForAssets(db, chainGid);
      await refreshMultipliers(deps);
      let count: number;
      do {
        count = await discoverOnce(deps);
        if (count > 0) health.succeed();
      } while (count === BATCH && !signal.aborted);
      if (health.isFailing && !(await isSomeLeft(db, chainGid))) health.succeed();
    } catch (error) {
      if (signal.aborted) return;
      health.fail(describePublicly(error));
      logger.warn({ chain_gid: chainGid, err: error }, 'failed to discover assets, will retry');
    }
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether one that failed waits for its next time. */
async function isSomeLeft(db: Database, chainGid: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM assets a WHERE chain_gid = $1 AND (status = 'unknown' OR is_reread_due) AND attempt_count > 0 AND NOT EXISTS (
       SELECT FROM incidents i WHERE i.chain_gid = $1 AND i.kind = 'poison:assets' AND i.subject_id = a.gid AND i.status = 'quarantined') LIMIT 1`,
    [chainGid],
  );
  return rowCount === 1;
}

interface DueAsset {
  readonly gid: string;
  readonly status: string;
  /** An amount that a transfer moved. */
  readonly moved_raw: string | null;
}

/** One batch of assets that are due. Returns how many there were. */
async function discoverOnce(deps: DiscoveryDeps): Promise<number> {
  const { db, client, chainGid, logger } = deps;
  if (client.readTokens === undefined) return 0;
  // The due time moves before the node is asked: a crash here costs one interval.
  const { rows } = await db.query<DueAsset>(
    `UPDATE assets SET attempt_count = attempt_count + 1, next_attempt_at = now() + least(5 * 2 ^ least(attempt_count, 10), 3600) * interval '1 second'
     WHERE gid IN (SELECT gid FROM (
       SELECT gid, next_attempt_at FROM assets WHERE chain_gid = $1 AND status = 'unknown' AND next_attempt_at <= now()
       UNION ALL SELECT gid, next_attempt_at FROM assets WHERE chain_gid = $1 AND ${IS_REREAD} AND status <> 'unknown' AND next_attempt_at <= now()
     ) due ORDER BY next_attempt_at LIMIT ${BATCH})
     RETURNING gid, status, (SELECT t.amount_raw::text FROM transfers t WHERE t.asset_gid = assets.gid LIMIT 1) AS moved_raw`,
    [chainGid],
  );
  if (rows.length === 0) return 0;
  try {
    await readAndSave(deps, rows);
  } catch (error) {
    const attempt = (some: readonly DueAsset[]): Promise<void> => readAndSave(deps, some);
    const poison = await setAsideAssets(deps, { assets: rows, attempt, error });
    if (poison.length > 0)
      logger.error(
        { chain_gid: chainGid, assets: poison.map(({ item }) => item.gid), err: poison[0]!.error },
        'set aside assets after failed discovery',
      );
  }
  return rows.length;
}

/** Doing it twice changes nothing. */
async function readAndSave(
  { db, client, chainGid, assets, signal }: Omit<DiscoveryDeps, 'logger'>,
  due: readonly DueAsset[],
): Promise<void> {
  const metadata = await client.readTokens!(
    due.map(({ gid }) => gid),
    signal,
    new Map(due.flatMap(({ gid, moved_raw }) => (moved_raw === null ? [] : [[gid, BigInt(moved_raw)]]))),
  );
  for (const [position, { gid, status }] of due.entries()) {
    const found = metadata[position];
    if (status !== 'unknown') {
      const { decimals, isNft } = await correctToken(db, { chainGid, gid, found });
      assets.learn(gid, decimals, isNft);
    } else if ((await saveDiscovery(db, { chainGid, gid, found })) && found !== undefined)
      assets.learn(gid, found.decimals, found.isNft);
  }
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
      `UPDATE assets SET status = $2, name = $3, symbol = $4, decimals = $5, attempt_count = 0, is_reread_due = false, updated_at = now(),
         type = $6, ui_multiplier = $7, ui_read_at = CASE WHEN $7::jsonb IS NOT NULL THEN now() END
       WHERE gid = $1 AND status = 'unknown'`,
      [
        gid,
        found === undefined ? 'invalid' : 'active',
        found?.name ?? null,
        found?.symbol ?? null,
        found?.decimals ?? null,
        found?.isNft === true ? 'nft' : 'fungible',
        multiplierJson(found),
      ],
    );
    await endSetAside(sql, chainGid, { step: 'assets', subjectIds: [gid] });
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

interface Due {
  readonly gid: string;
}

interface SuspectsDeps {
  readonly db: Database;
  readonly client: ChainClient;
  readonly chainGid: string;
  readonly signal: AbortSignal;
}

interface Suspects<T extends Due> {
  readonly assets: readonly T[];
  /** Reads and saves some of them. */
  readonly attempt: (assets: readonly T[]) => Promise<void>;
  /** With which all of them failed. */
  readonly error: unknown;
}

/**
 * A batch of assets failed, and maybe because of one for which the node never answers, or whose answer cannot be stored: halves
 * are tried, and what fails alone is set aside.
 *
 * @throws what is no asset's fault, as a node that answers nothing
 */
async function setAsideAssets<T extends Due>(
  deps: SuspectsDeps,
  { assets, attempt, error }: Suspects<T>,
): Promise<readonly Poison<T>[]> {
  const { db, chainGid } = deps;
  // A node may go away while the halves are tried.
  let isAway = !isItemFault(error) && !(await isAnswering(deps));
  if (isAway) throw error;
  const tryThem = (some: readonly T[]): Promise<void> =>
    attempt(some).catch(async (err: unknown) => {
      isAway = err instanceof ChainError && !(await isAnswering(deps));
      throw err;
    });
  const isFault = (err: unknown): boolean => !isAway && (err instanceof ChainError || isItemFault(err));
  const middle = assets.length >> 1;
  const poison =
    assets.length === 1
      ? await findPoison(assets, tryThem, isFault)
      : [
          ...(await findPoison(assets.slice(0, middle), tryThem, isFault)),
          ...(await findPoison(assets.slice(middle), tryThem, isFault)),
        ];
  if (poison.length > 0) await db.transaction((sql) => name(sql, chainGid, poison));
  return poison;
}

/** Whether the node answers for another token, which it told before; where none is known, at all. */
async function isAnswering({ db, client, chainGid, signal }: SuspectsDeps): Promise<boolean> {
  const { rows } = await db.query<Due>(
    `SELECT gid FROM assets WHERE chain_gid = $1 AND status = 'active' AND type = 'fungible' AND NOT is_reread_due LIMIT 1`,
    [chainGid],
  );
  const answer = rows[0] === undefined ? client.readHead(signal) : client.readTokens!([rows[0].gid], signal);
  return answer.then(
    () => true,
    () => false,
  );
}

async function name(sql: Sql, chainGid: string, poison: readonly Poison<Due>[]): Promise<void> {
  const { rows } = await sql.query<{ number: number; hash: string }>(
    `SELECT coalesce(cursor_number, 0) AS number, coalesce(cursor_hash, '') AS hash FROM analyzer_states WHERE chain_gid = $1`,
    [chainGid],
  );
  const block = rows[0] ?? { number: 0, hash: '' };
  await setAside(
    sql,
    chainGid,
    poison.map(({ item: { gid }, error }) => ({
      ...{ step: 'assets', subject: { type: 'asset', id: gid }, block, error },
    })),
  );
  await sql.query(`UPDATE assets SET next_attempt_at = now() + ${RETRY_EVERY} WHERE gid = ANY($1)`, [
    poison.map(({ item }) => item.gid),
  ]);
}

/** Asks again about those that were set aside and are due. */
async function askAgainForAssets(sql: Sql, chainGid: string): Promise<void> {
  await sql.query(
    `WITH due AS (
       UPDATE incidents SET retry_at = clock_timestamp() + ${RETRY_EVERY}
       WHERE chain_gid = $1 AND kind = 'poison:assets' AND status = 'quarantined' AND retry_at <= clock_timestamp()
       RETURNING subject_id)
     UPDATE assets SET next_attempt_at = now(), is_reread_due = is_reread_due OR status <> 'unknown' FROM due WHERE gid = subject_id`,
    [chainGid],
  );
}
