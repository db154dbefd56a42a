// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/db';
import { endSetAside, setAside, type Poison } from '@chainwatch/quarantine';
import type { ChainContext } from '../model/chain-context.ts';

/**
 * Transactions of the mempool with which its step fails: left out while they wait there, and named by an incident. A block
 * that holds one is analysed as ever. A start tries all of them again.
 */
export class PendingSetAsides {
  readonly #hashes = new Set<string>();
  readonly #db: Database;
  readonly #chain: Pick<ChainContext, 'gid' | 'share'>;

  constructor(db: Database, chain: Pick<ChainContext, 'gid' | 'share'>) {
    this.#db = db;
    this.#chain = chain;
  }

  has(hash: string): boolean {
    return this.#hashes.has(hash);
  }

  /** Ends what an owner before set aside. */
  async begin(): Promise<void> {
    const { rows } = await this.#db.query<{ subject_id: string }>(
      `SELECT subject_id FROM incidents WHERE chain_gid = $1 AND kind = 'poison:mempool' AND status = 'quarantined'`,
      [this.#chain.gid],
    );
    await this.#end(rows.map(({ subject_id: hash }) => hash));
  }

  async add(block: BlockRef, poison: readonly Poison<string>[]): Promise<void> {
    const items = poison.map(({ item: id, error }) => ({
      ...{ step: 'mempool', block, error },
      subject: { type: 'transaction' as const, id },
    }));
    await this.#chain.share.transaction((sql) => setAside(sql, this.#chain.gid, items));
    for (const { item } of poison) this.#hashes.add(item);
  }

  /** Ends those that are not in the mempool any more. */
  async keep(isPresent: (hash: string) => boolean): Promise<void> {
    const gone = [...this.#hashes].filter((hash) => !isPresent(hash));
    for (const hash of gone) this.#hashes.delete(hash);
    await this.#end(gone);
  }

  async #end(subjectIds: readonly string[]): Promise<void> {
    if (subjectIds.length === 0) return;
    const { gid, share } = this.#chain;
    await share.transaction((sql) => endSetAside(sql, gid, { step: 'mempool', subjectIds }));
  }
}
