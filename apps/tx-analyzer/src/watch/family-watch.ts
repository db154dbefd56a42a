// SPDX-License-Identifier: Apache-2.0
import { InvalidAddressError, type ChainFamilyName, type UtxoCodec } from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/data/db';
import { OWN_DATA_COLUMNS, ownDataOf, type OwnDataRow } from '@chainwatch/data/outbox';
import { WatchSet } from '@chainwatch/watch-set';
import type { WatchedAddress } from '../model/matched-transaction.ts';

const FETCH_ROWS = 20_000;
const SPARE_ROOM = 1.25;

interface Loaded {
  readonly family: ChainFamilyName;
  readonly utxo: UtxoCodec | undefined;
  readonly set: WatchSet;
  readonly coveredXid: bigint;
}

/**
 * The watch set of a family, shared by its chains in this process: canonical addresses or, for chains of unspent
 * outputs, the match keys of their scripts, because those are what blocks contain. It only grows: an address that
 * is no longer monitored is still a hit, and the database rejects it.
 */
export class FamilyWatch {
  readonly family: ChainFamilyName;
  readonly #set: WatchSet;
  readonly #utxo: UtxoCodec | undefined;
  #coveredXid: bigint;
  /** Addresses of networks that nobody has told this process of. */
  readonly #unread = new Set<string>();

  private constructor({ family, utxo, set, coveredXid }: Loaded) {
    this.family = family;
    this.#utxo = utxo;
    this.#set = set;
    this.#coveredXid = coveredXid;
  }

  /** Loads every monitored address of the family in chunks: 10 million fit, one chunk is in memory at a time. */
  static async load(db: Database, family: ChainFamilyName, utxo?: UtxoCodec): Promise<FamilyWatch> {
    return db.transaction(async (sql) => {
      await sql.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows } = await sql.query<{ xmin: string; total: number }>(
        'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xmin, (SELECT count(*) FROM addresses WHERE chain_family = $1) AS total',
        [family],
      );
      const { xmin, total } = rows[0]!;
      const set = WatchSet.withCapacity(Math.max(1_024, Math.ceil(total * SPARE_ROOM)));
      const watch = new FamilyWatch({ family, utxo, set, coveredXid: BigInt(xmin) });
      await watch.#fill(sql);
      return watch;
    });
  }

  /** Rows of transactions older than this are in the set. */
  get coveredXid(): bigint {
    return this.#coveredXid;
  }

  /** Rows of transactions in [fromXid, toXid) were added. */
  extend(fromXid: bigint, toXid: bigint): void {
    if (fromXid <= this.#coveredXid && toXid > this.#coveredXid) this.#coveredXid = toXid;
  }

  get size(): number {
    return this.#set.size;
  }

  /** @param key what blocks contain: an address or, on chains of unspent outputs, a match key */
  has(key: string): boolean {
    return this.#set.has(key);
  }

  /**
   * An address of a network that is not known here waits until it is: its chain cannot be followed before.
   * @param address canonical
   */
  add(address: string): void {
    try {
      this.#set.add(this.#utxo === undefined ? address : this.#utxo.matchKeyOf(address));
      this.#unread.delete(address);
    } catch (error) {
      if (!(error instanceof InvalidAddressError)) throw error;
      this.#unread.add(address);
    }
  }

  /** Networks may have become known. */
  readAgain(): void {
    for (const address of this.#unread) this.add(address);
  }

  async #fill(sql: Sql): Promise<void> {
    // DECLARE takes no parameters; the family is a name of our own registry.
    await sql.query(
      `DECLARE watched NO SCROLL CURSOR FOR SELECT address FROM addresses WHERE chain_family = '${this.family}' AND is_monitored`,
    );
    for (;;) {
      const { rows } = await sql.query<[string]>({
        text: `FETCH ${FETCH_ROWS} FROM watched`,
        rowMode: 'array',
      });
      for (const [address] of rows) this.add(address);
      if (rows.length < FETCH_ROWS) return;
    }
  }
}

interface ConfirmedRow extends OwnDataRow {
  readonly id: string;
  readonly project_id: string;
  readonly address: string;
  readonly from_block: number;
  readonly is_unused: boolean;
}

/**
 * Which of `addresses` are monitored, by whom and from which block of the chain on: one query to the database,
 * which decides.
 */
export async function confirmAddresses(
  { sql, family, chainGid }: { readonly sql: Sql; readonly family: string; readonly chainGid: string },
  addresses: ReadonlySet<string>,
): Promise<Map<string, WatchedAddress[]>> {
  const confirmed = new Map<string, WatchedAddress[]>();
  if (addresses.size === 0) return confirmed;
  const { rows } = await sql.query<ConfirmedRow>({
    name: 'confirm_addresses',
    text: `SELECT a.id, a.project_id, a.address, COALESCE(w.from_block, 0) AS from_block,
             a.public_key_id IS NOT NULL AND NOT a.is_used AS is_unused, ${OWN_DATA_COLUMNS} FROM addresses a
           LEFT JOIN address_watches w ON w.address_id = a.id AND w.chain_gid = $2
           WHERE a.chain_family = $1 AND a.address = ANY($3::text[]) AND a.is_monitored`,
    values: [family, chainGid, [...addresses]],
  });
  for (const row of rows) {
    const watched: WatchedAddress = {
      id: row.id,
      projectId: row.project_id,
      address: row.address,
      fromBlock: row.from_block,
      isUnused: row.is_unused,
      own: ownDataOf(row),
    };
    const others = confirmed.get(row.address);
    if (others === undefined) confirmed.set(row.address, [watched]);
    else others.push(watched);
  }
  return confirmed;
}
