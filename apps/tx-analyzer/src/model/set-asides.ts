// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Transaction } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { MatchedTransaction } from './matched-transaction.ts';

/** A transaction of a block; of one project alone, or of everybody. */
export interface SetAsideKey {
  readonly block: BlockRef;
  readonly hash: string;
  readonly projectId?: string | undefined;
}

const NOTHING: SetAsideLook = { has: () => false, hasMatch: () => false };

/** So many later steps are done in savepoints after a fault: it is tried again by then. */
const CAREFUL_STEPS = 100;

interface RecordKey {
  readonly blockHash?: string | undefined;
  readonly hash: string;
  readonly projectId: string;
}

interface Row {
  readonly block_number: number;
  readonly block_hash: string;
  readonly hash: string;
  readonly project_id: string | null;
}

/** Whether a transaction, or what it means to a project, is set aside. */
export interface SetAsideLook {
  has(block: Pick<BlockRef, 'hash'>, hash: string): boolean;
  hasMatch(match: MatchedTransaction): boolean;
}

/**
 * The transactions of a chain that are set aside, because a step fails with them (invariant 14): analysed as if their
 * blocks did not hold them. Each is of one block: mined again in another one it is tried there.
 */
export class SetAsides implements SetAsideLook {
  #keys: ReadonlyMap<string, SetAsideKey> = new Map();
  #trial: ReadonlySet<string> = new Set();
  /** Blocks that are tried whole. */
  #released: ReadonlySet<string> = new Set();
  #carefulSteps = 0;

  async load(sql: Sql, chainGid: string): Promise<void> {
    const { rows } = await sql.query<Row>(
      `SELECT block_number, block_hash, transaction_hash AS hash, project_id FROM incidents
       WHERE chain_gid = $1 AND kind = 'poison:analysis' AND status = 'quarantined'`,
      [chainGid],
    );
    this.#keys = new Map(
      rows.map((row) => {
        const key = {
          block: { number: row.block_number, hash: row.block_hash },
          hash: row.hash,
          projectId: row.project_id ?? undefined,
        };
        return [keyOf(key), key];
      }),
    );
  }

  /** A later step failed, and maybe because of a single transaction. */
  suspect(): void {
    this.#carefulSteps = CAREFUL_STEPS;
  }

  /** Whether the later step that begins looks for the transaction at fault. */
  takeCare(): boolean {
    if (this.#carefulSteps === 0) return false;
    this.#carefulSteps -= 1;
    return true;
  }

  /** What is set aside of these blocks. */
  listOf(blocks: readonly Pick<BlockRef, 'hash'>[]): SetAsideKey[] {
    const hashes = new Set(blocks.map(({ hash }) => hash));
    return [...this.#keys.values()].filter(({ block }) => hashes.has(block.hash));
  }

  /** Does `work` as if `keys` were set aside too. */
  async without<T>(keys: readonly SetAsideKey[], work: () => Promise<T>): Promise<T> {
    this.#trial = new Set(keys.map(keyOf));
    try {
      return await work();
    } finally {
      this.#trial = new Set();
    }
  }

  /** Does `work` with `some` of the keys alone, and without those `apart`. */
  withOnly<T>(
    some: readonly SetAsideKey[],
    {
      among,
      apart = [],
    }: { readonly among: readonly SetAsideKey[]; readonly apart?: readonly SetAsideKey[] },
    work: () => Promise<T>,
  ): Promise<T> {
    const kept = new Set(some.map(keyOf));
    return this.without([...apart, ...among.filter((key) => !kept.has(keyOf(key)))], work);
  }

  /** Does `work` with what is set aside of these blocks. */
  async releasing<T>(blocks: readonly BlockRef[], work: () => Promise<T>): Promise<T> {
    this.#released = new Set(blocks.map(({ hash }) => hash));
    try {
      return await work();
    } finally {
      this.#released = new Set();
    }
  }

  /** The transactions of a block that are not set aside for everybody. */
  keep({ hash, transactions }: BlockRef & { readonly transactions: readonly Transaction[] }) {
    if (this.#isEmpty) return transactions;
    return transactions.filter((transaction) => !this.has({ hash }, transaction.hash));
  }

  has({ hash: blockHash }: Pick<BlockRef, 'hash'>, hash: string): boolean {
    return !this.#isEmpty && this.#hasKey(blockHash, keyOf({ block: { number: 0, hash: blockHash }, hash }));
  }

  hasMatch({ block, transaction: { hash }, projectId }: MatchedTransaction): boolean {
    return !this.#isEmpty && this.#hasKey(block.hash, keyOf({ block, hash, projectId }));
  }

  /** What is set aside without what the writer tries at the moment, for whoever looks beside it. */
  get stored(): SetAsideLook {
    const keys = this.#keys;
    if (keys.size === 0) return NOTHING;
    return {
      has: (block, hash) => keys.has(keyOf({ block: { number: 0, hash: block.hash }, hash })),
      hasMatch: ({ block, transaction: { hash }, projectId }) => keys.has(keyOf({ block, hash, projectId })),
    };
  }

  /** Of what was recorded before it was set aside. */
  hasRecord({ blockHash = '', hash, projectId }: RecordKey): boolean {
    const block = { number: 0, hash: blockHash };
    return (
      this.has(block, hash) || (!this.#isEmpty && this.#hasKey(blockHash, keyOf({ block, hash, projectId })))
    );
  }

  get #isEmpty(): boolean {
    return this.#keys.size === 0 && this.#trial.size === 0;
  }

  #hasKey(blockHash: string, key: string): boolean {
    return this.#trial.has(key) || (this.#keys.has(key) && !this.#released.has(blockHash));
  }
}

export function keyOf({ block, hash, projectId }: SetAsideKey): string {
  return `${block.hash}|${hash}|${projectId ?? ''}`;
}
