// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { FamilyWatch } from './family-watch.ts';

const PAGE_ROWS = 5_000;

/** An address registered after the analyzer had passed blocks from which it counts. */
export interface RetroactiveAddress {
  readonly id: string;
  readonly address: string;
  readonly fromBlock: number;
}

interface WatchDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly family: FamilyWatch;
  /** The stored `watch_xid`: the owner that stored it has dealt with every row of an older transaction. */
  readonly storedXid: bigint;
}

interface UpdateLook {
  readonly nextHash: string | undefined;
  readonly cursorNumber: number | undefined;
  readonly everyMs: number;
}

interface UpdateRow {
  readonly snapshot: string;
  readonly xmin: string;
  readonly id: string | null;
  readonly address: string;
  readonly watch_xid: string;
  readonly from_block: number | null;
  readonly is_monitored: boolean;
}

/**
 * Updates of a family's addresses, for one chain. PostgreSQL's transaction ids order them without gaps: a snapshot
 * tells which transactions it saw, so each poll reads exactly the rows of transactions that the previous poll did
 * not see, however long they were open. The stored `watchXid` is the oldest transaction that was still running: a
 * restart reads from there, some rows twice, but none is missed.
 */
export class ChainWatch {
  readonly #sql: Sql;
  readonly #chainGid: string;
  readonly #family: FamilyWatch;
  #snapshot: string | undefined;
  #watchXid: bigint;
  /** Rows of older transactions were dealt with before; they are read only for the watch set. */
  readonly #newFromXid: bigint;
  #startNumber: number | undefined;
  #retroactive: RetroactiveAddress[] = [];
  #updated: string[] = [];
  #readFor: { readonly hash: string | undefined; readonly atMs: number } | undefined;

  constructor({ sql, chainGid, family, storedXid }: WatchDeps) {
    this.#sql = sql;
    this.#chainGid = chainGid;
    this.#family = family;
    this.#newFromXid = storedXid;
    // Otherwise rows between the loading of the set and the stored transaction would be missed.
    this.#watchXid = storedXid < family.coveredXid ? storedXid : family.coveredXid;
  }

  /** Must be stored with the next step, once the retroactive addresses read so far are dealt with. */
  get watchXid(): bigint {
    return this.#watchXid;
  }

  /** No block was passed yet, so no address is retroactive: the loaded set is enough. */
  skipToLoaded(): void {
    this.#watchXid = this.#family.coveredXid;
  }

  /** Addresses to look for in blocks already passed, together with the next step. */
  get retroactive(): readonly RetroactiveAddress[] {
    return this.#retroactive;
  }

  /** The step with the retroactive addresses is committed. */
  finishRetroactive(): void {
    this.#retroactive = [];
  }

  /** Addresses updated since the last call. */
  drainUpdated(): string[] {
    return this.#updated.splice(0);
  }

  /**
   * Reads the updates into the watch set: once for each next block, while its body is on the way, and again after
   * `everyMs` and after `expectUpdates`. Addresses that count from `cursorNumber` or below are retroactive; those
   * that count from a later block are in the set from now on. False: nothing was read.
   */
  async readUpdates({ nextHash, cursorNumber, everyMs }: UpdateLook): Promise<boolean> {
    const nowMs = performance.now();
    if (nextHash !== undefined && nextHash === this.#readFor?.hash && nowMs - this.#readFor.atMs < everyMs)
      return false;
    this.#readFor = { hash: nextHash, atMs: nowMs };
    // A reset may have moved it.
    this.#startNumber = undefined;
    const first = await this.#readPage('0', '00000000-0000-0000-0000-000000000000');
    let page = first;
    for (;;) {
      for (const row of page) await this.#apply(row, cursorNumber);
      const last = page.at(-1)!;
      if (page.length < PAGE_ROWS || last.id === null) break;
      page = await this.#readPage(last.watch_xid, last.id);
    }
    this.#snapshot = first[0]!.snapshot;
    const xmin = BigInt(first[0]!.xmin);
    this.#family.extend(this.#watchXid, xmin);
    this.#watchXid = xmin;
    return true;
  }

  /** Makes the next `readUpdates` read. */
  expectUpdates(): void {
    this.#readFor = undefined;
  }

  async #apply(row: UpdateRow, cursorNumber: number | undefined): Promise<void> {
    if (row.id === null || !row.is_monitored) return;
    this.#family.add(row.address);
    this.#updated.push(row.address);
    if (cursorNumber === undefined || BigInt(row.watch_xid) < this.#newFromXid) return;
    const fromBlock = row.from_block ?? (await this.#findStartNumber());
    if (fromBlock <= cursorNumber) this.#retroactive.push({ id: row.id, address: row.address, fromBlock });
  }

  async #readPage(afterXid: string, afterId: string): Promise<UpdateRow[]> {
    const { rows } = await this.#sql.query<UpdateRow>({
      name: 'read_address_updates',
      text: `SELECT s.snapshot::text AS snapshot, pg_snapshot_xmin(s.snapshot)::text AS xmin,
                    a.id, a.address, a.watch_xid::text AS watch_xid, a.is_monitored, w.from_block
             FROM (SELECT pg_current_snapshot() AS snapshot) s
             LEFT JOIN addresses a ON a.chain_family = $1 AND a.watch_xid >= $2::xid8
               AND ($3::pg_snapshot IS NULL OR NOT pg_visible_in_snapshot(a.watch_xid, $3::pg_snapshot))
               AND (a.watch_xid, a.id) > ($4::xid8, $5::uuid)
             LEFT JOIN address_watches w ON w.address_id = a.id AND w.chain_gid = $6
             ORDER BY a.watch_xid, a.id LIMIT ${PAGE_ROWS}`,
      values: [
        this.#family.family,
        String(this.#watchXid),
        this.#snapshot ?? null,
        afterXid,
        afterId,
        this.#chainGid,
      ],
    });
    return rows;
  }

  /** An address without a row of its own counts from the first block that the chain was followed from. */
  async #findStartNumber(): Promise<number> {
    if (this.#startNumber === undefined) {
      const { rows } = await this.#sql.query<{ start_number: number | null }>(
        'SELECT start_number FROM ingestor_states WHERE chain_gid = $1',
        [this.#chainGid],
      );
      this.#startNumber = rows[0]?.start_number ?? 0;
    }
    return this.#startNumber;
  }
}
