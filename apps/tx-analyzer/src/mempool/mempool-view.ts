// SPDX-License-Identifier: Apache-2.0
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transaction } from '@chainwatch/chain-core';
import { fingerprintOf } from '@chainwatch/watch-set';
import { outpointKey } from '../model/coin.ts';

interface KnownTransaction {
  /** Fingerprints of what it pays to and spends: enough to find it for an address that is registered later. */
  readonly keys: readonly number[];
  /** The last snapshot that contained it. */
  snapshot: number;
}

/** Hashes compared in one go; other work gets its turn in between. */
const CHUNK_HASHES = 25_000;

/**
 * The content of a node's mempool: which transactions were looked at, and which must still be fetched. A mainnet
 * mempool holds 300,000, so transactions that concern nobody are kept only as fingerprints.
 */
export class MempoolView {
  readonly #known = new Map<string, KnownTransaction>();
  /** First seen in the newest snapshot: fetched before the others. */
  #fresh = new Set<string>();
  /** Fetched when there is time: the mempool at the start, and transactions to look at again. */
  #backlog = new Set<string>();
  #snapshot = 0;

  /** Transactions looked at. */
  get size(): number {
    return this.#known.size;
  }

  get waitingCount(): number {
    return this.#fresh.size + this.#backlog.size;
  }

  isPresent(hash: string): boolean {
    return (
      (this.#known.get(hash)?.snapshot ?? 0) >= this.#snapshot ||
      this.#fresh.has(hash) ||
      this.#backlog.has(hash)
    );
  }

  /**
   * Takes a snapshot; `inHand` are fetched but not looked at yet. Transactions that have left the mempool are
   * forgotten.
   */
  async update(hashes: readonly string[], inHand: ReadonlySet<string>): Promise<void> {
    const snapshot = this.#snapshot + 1;
    const fresh = new Set<string>();
    const backlog = new Set<string>();
    let knownCount = 0;
    for (const [position, hash] of hashes.entries()) {
      if (position % CHUNK_HASHES === CHUNK_HASHES - 1) await nextTurn();
      const known = this.#known.get(hash);
      if (known !== undefined) {
        known.snapshot = snapshot;
        knownCount += 1;
      } else if (this.#fresh.has(hash) || this.#backlog.has(hash)) backlog.add(hash);
      else if (!inHand.has(hash)) (this.#snapshot === 0 ? backlog : fresh).add(hash);
    }
    this.#fresh = fresh;
    this.#backlog = backlog;
    this.#snapshot = snapshot;
    if (knownCount === this.#known.size) return;
    for (const [hash, known] of this.#known) if (known.snapshot !== snapshot) this.#known.delete(hash);
  }

  /** Up to `count` hashes to be fetched now. */
  dequeue(count: number): { fresh: string[]; backlog: string[] } {
    const fresh = shiftFirst(this.#fresh, count);
    return { fresh, backlog: shiftFirst(this.#backlog, count - fresh.length) };
  }

  /** They could not be fetched. */
  giveBack(hashes: readonly string[]): void {
    for (const hash of hashes) this.#backlog.add(hash);
  }

  /** It was looked at. */
  add(transaction: Transaction): void {
    this.#known.set(transaction.hash, {
      keys: [...new Set(listKeys(transaction).map(fingerprintOf))],
      snapshot: this.#snapshot,
    });
  }

  /** Looks again at transactions that pay to or spend one of `keys`: scripts or addresses, outpoints. */
  recheck(keys: readonly string[]): void {
    if (keys.length === 0 || this.#known.size === 0) return;
    const wanted = new Set(keys.map(fingerprintOf));
    for (const [hash, known] of this.#known) if (known.keys.some((key) => wanted.has(key))) this.forget(hash);
  }

  recheckAll(): void {
    for (const hash of this.#known.keys()) this.forget(hash);
  }

  /** Looks at it again if the node still has it. */
  forget(hash: string): void {
    if (this.#known.delete(hash)) this.#backlog.add(hash);
  }
}

function listKeys({ utxo, from, transfers }: Transaction): string[] {
  const addresses = [from, ...transfers.flatMap((transfer) => [transfer.from, transfer.to])].filter(
    (address) => address !== undefined,
  );
  return utxo === undefined
    ? addresses
    : [...utxo.inputs.map(outpointKey), ...utxo.outputs.map((output) => output.matchKey)];
}

function shiftFirst(hashes: Set<string>, count: number): string[] {
  const taken: string[] = [];
  for (const hash of hashes) {
    if (taken.length >= count) break;
    taken.push(hash);
    hashes.delete(hash);
  }
  return taken;
}
