// SPDX-License-Identifier: Apache-2.0
import type { Outpoint } from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/data/db';
import { WatchSet } from '@chainwatch/watch-set';
import type { CoinFilter } from '../model/chain-context.ts';
import { outpointKey } from '../model/coin.ts';

const FETCH_ROWS = 20_000;
const SPARE_ROOM = 1.25;

/**
 * Unspent coins of watched addresses on one chain, by outpoint, for the chain's only writer. It only grows: whoever
 * writes a coin, or makes one unspent again, adds it before the commit. A spent coin is still a hit, and the
 * database then tells that it is spent.
 */
export class CoinWatch implements CoinFilter {
  readonly #db: Database;
  readonly #chainGid: string;
  #set: WatchSet | undefined;
  #listener: (keys: readonly string[]) => void = () => undefined;

  constructor(db: Database, chainGid: string) {
    this.#db = db;
    this.#chainGid = chainGid;
  }

  /** Loads the chain's unspent coins once, one chunk in memory at a time; from then on they are kept current. */
  async load(): Promise<void> {
    this.#set ??= await this.#db.transaction(async (sql) => {
      await sql.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows } = await sql.query<{ total: number }>(
        'SELECT (SELECT count(*) FROM utxos WHERE chain_gid = $1 AND spent_by IS NULL) + (SELECT count(*) FROM unproved_coins WHERE chain_gid = $1) AS total',
        [this.#chainGid],
      );
      const set = WatchSet.withCapacity(Math.max(1_024, Math.ceil(rows[0]!.total * SPARE_ROOM)));
      await fill(sql, set, this.#chainGid);
      return set;
    });
  }

  /** @param key `outpointKey` */
  has(key: string): boolean {
    return this.#set!.has(key);
  }

  add(outpoints: readonly Outpoint[]): void {
    const keys = outpoints.map(outpointKey);
    for (const key of keys) this.#set!.add(key);
    this.#listener(keys);
  }

  /** @param listener called with the keys of every coin that is added */
  listen(listener: (keys: readonly string[]) => void): void {
    this.#listener = listener;
  }
}

async function fill(sql: Sql, set: WatchSet, chainGid: string): Promise<void> {
  // DECLARE takes no parameters; the settings of a transaction do.
  await sql.query(`SELECT set_config('chainwatch.chain_gid', $1, true)`, [chainGid]);
  await sql.query(
    `DECLARE coins NO SCROLL CURSOR FOR SELECT txid, vout FROM utxos WHERE chain_gid = current_setting('chainwatch.chain_gid') AND spent_by IS NULL
       UNION ALL SELECT txid, vout FROM unproved_coins WHERE chain_gid = current_setting('chainwatch.chain_gid')`,
  );
  for (;;) {
    const { rows } = await sql.query<Outpoint>(`FETCH ${FETCH_ROWS} FROM coins`);
    for (const row of rows) set.add(outpointKey(row));
    if (rows.length < FETCH_ROWS) return;
  }
}
