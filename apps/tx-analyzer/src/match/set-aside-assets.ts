// SPDX-License-Identifier: Apache-2.0
import { ChainError, type ChainClient } from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/db';
import { findPoison, isItemFault, RETRY_EVERY, setAside, type Poison } from '@chainwatch/quarantine';

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
export async function setAsideAssets<T extends Due>(
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
export async function askAgainForAssets(sql: Sql, chainGid: string): Promise<void> {
  await sql.query(
    `WITH due AS (
       UPDATE incidents SET retry_at = clock_timestamp() + ${RETRY_EVERY}
       WHERE chain_gid = $1 AND kind = 'poison:assets' AND status = 'quarantined' AND retry_at <= clock_timestamp()
       RETURNING subject_id)
     UPDATE assets SET next_attempt_at = now(), is_reread_due = is_reread_due OR status <> 'unknown' FROM due WHERE gid = subject_id`,
    [chainGid],
  );
}
