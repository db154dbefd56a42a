// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import {
  NO_OUTCOME,
  type DroppedTransaction,
  type PendingTransaction,
  type PendingOutcome,
} from '../model/pending-outcome.ts';
import { outpointKey } from '../model/coin.ts';
import type { KnownCoin } from '../model/coin.ts';

const NONE: ReadonlySet<string> = new Set();

/** Every pending transaction of a chain in memory, as the database has it. */
export class PendingTracker {
  readonly #byHash = new Map<string, PendingTransaction>();
  /** Hashes of those that spend an output of a transaction, by its hash. */
  readonly #children = new Map<string, Set<string>>();

  static async load(sql: Sql, chainGid: string): Promise<PendingTracker> {
    const tracker = new PendingTracker();
    for (const pending of await readPending(sql, chainGid)) tracker.set(pending);
    return tracker;
  }

  get size(): number {
    return this.#byHash.size;
  }

  list(): IterableIterator<PendingTransaction> {
    return this.#byHash.values();
  }

  find(hash: string): PendingTransaction | undefined {
    return this.#byHash.get(hash);
  }

  set(pending: PendingTransaction): void {
    this.delete(pending.hash);
    this.#byHash.set(pending.hash, pending);
    for (const key of pending.inputs) {
      const children = this.#children.get(txidOf(key));
      if (children === undefined) this.#children.set(txidOf(key), new Set([pending.hash]));
      else children.add(pending.hash);
    }
  }

  delete(hash: string): void {
    for (const key of this.#byHash.get(hash)?.inputs ?? []) {
      const children = this.#children.get(txidOf(key));
      children?.delete(hash);
      if (children?.size === 0) this.#children.delete(txidOf(key));
    }
    this.#byHash.delete(hash);
  }

  /** Whether a pending transaction spends an output of it. */
  isParent(hash: string): boolean {
    return this.#children.has(hash);
  }

  findCoin(key: string): KnownCoin | undefined {
    return this.#byHash.get(txidOf(key))?.coins.get(key);
  }

  /** Whether a pending transaction creates or spends this outpoint. */
  touches(key: string): boolean {
    return this.findCoin(key) !== undefined || this.listRivals(key, '').length > 0;
  }

  /** Pending transactions other than `hash` that spend this outpoint. */
  listRivals(key: string, hash: string): PendingTransaction[] {
    const rivals: PendingTransaction[] = [];
    for (const childHash of this.#children.get(txidOf(key)) ?? NONE) {
      const child = this.#byHash.get(childHash)!;
      if (childHash !== hash && child.inputs.has(key)) rivals.push(child);
    }
    return rivals;
  }

  /** The pending transactions of `conflicts` (hash → its replacement) and their descendants, each once. */
  withDescendants(conflicts: ReadonlyMap<string, string>): DroppedTransaction[] {
    const dropped = new Map<string, DroppedTransaction>();
    const open = [...conflicts];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [hash, replacedBy] = next;
      const pending = this.#byHash.get(hash);
      if (pending === undefined || dropped.has(hash)) continue;
      dropped.set(hash, { ...pending, replacedBy: conflicts.get(hash) ?? replacedBy });
      for (const child of this.#children.get(hash) ?? []) open.push([child, replacedBy]);
    }
    return [...dropped.values()];
  }

  /** Which pending transactions `blocks` contain, and which they make impossible. */
  findOutcome(blocks: readonly Block[]): PendingOutcome {
    if (this.size === 0) return NO_OUTCOME;
    const mined = new Map<string, PendingOutcome['mined'][number]>();
    const conflicts = new Map<string, string>();
    for (const block of blocks) {
      for (const { hash, index, utxo } of block.transactions) {
        const pending = this.#byHash.get(hash);
        if (pending !== undefined) mined.set(hash, { pending, block, index });
        for (const input of utxo?.inputs ?? []) {
          if (!this.#children.has(input.txid)) continue;
          for (const rival of this.listRivals(outpointKey(input), hash)) conflicts.set(rival.hash, hash);
        }
      }
    }
    return {
      mined: [...mined.values()],
      dropped: this.withDescendants(conflicts).filter(({ hash }) => !mined.has(hash)),
    };
  }

  /** The outcome is committed. */
  apply({ mined, dropped }: PendingOutcome): void {
    for (const { pending } of mined) this.delete(pending.hash);
    for (const { hash } of dropped) this.delete(hash);
  }
}

function txidOf(key: string): string {
  return key.slice(0, key.lastIndexOf(':'));
}

interface PendingRow {
  readonly hash: string;
  readonly ids: string[];
  readonly inputs: string[] | null;
  readonly coins: { readonly vout: number; readonly address: string; readonly amount: string }[] | null;
}

/** The legs of outputs follow those of all inputs, so their indexes tell which output it was. */
async function readPending(sql: Sql, chainGid: string): Promise<PendingTransaction[]> {
  const { rows } = await sql.query<PendingRow>({
    name: 'read_pending',
    text: `SELECT p.hash, p.ids, i.inputs, c.coins
           FROM (SELECT hash, array_agg(id::text) AS ids FROM transactions WHERE chain_gid = $1 AND status = 'pending' GROUP BY hash) p
           LEFT JOIN LATERAL (SELECT array_agg(prev_txid || ':' || prev_vout) AS inputs FROM pending_inputs WHERE chain_gid = $1 AND hash = p.hash) i ON true
           LEFT JOIN LATERAL (
             SELECT json_agg(json_build_object('vout', t.index - cardinality(i.inputs), 'address', t.to_address, 'amount', t.amount_raw::text)) AS coins
             FROM transfers t WHERE t.transaction_id = ANY (p.ids::uuid[]) AND t.from_address IS NULL AND t.to_address = ANY (t.monitored_addresses)) c ON true`,
    values: [chainGid],
  });
  return rows.map(({ hash, ids, inputs, coins }) => ({
    hash,
    ids: new Set(ids),
    inputs: new Set(inputs ?? []),
    coins: new Map(
      (inputs === null ? [] : (coins ?? [])).map(({ vout, address, amount }) => [
        `${hash}:${vout}`,
        { address, amountRaw: BigInt(amount) },
      ]),
    ),
  }));
}
