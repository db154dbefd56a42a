// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction } from '@chainwatch/chain-core';
import { eventIdOf } from '@chainwatch/events';
import type pg from 'pg';
import type { Command } from './spec-command.ts';
import type { SpecAddress } from './spec-database.ts';
import { MortalDatabase } from './spec-mortal-database.ts';
import type { SpecWorld } from './spec-world.ts';

/** Plays commands as ingestor, gateway, node and kernel would, and knows the expected result. */
export abstract class SpecScript<Payment> {
  readonly world: SpecWorld;
  readonly projects: readonly string[];
  readonly pool: readonly string[];
  readonly canonical: Block[] = [];
  /** Watched from the first block on: everything about them is determined. */
  readonly early: SpecAddress[] = [];
  readonly watched = new Map<string, SpecWatch>();
  /** How often a block with the transaction was undone. */
  readonly undone = new Map<string, number>();
  /** The exact event ids that the project of the early addresses must have in the end. */
  readonly expectedIds = new Set<string>();
  finalized = 0;
  /** Confirmations that the first project asks for now. */
  #depth: number | undefined;
  /** Those that its transactions were detected under. */
  readonly #fixed = new Map<string, number | undefined>();
  protected salt = 0;
  #open: { client: pg.PoolClient; address: SpecWatch } | undefined;
  #mortal = new MortalDatabase();

  /** @param pool addresses to choose from */
  constructor(world: SpecWorld, projects: readonly string[], pool: readonly string[]) {
    this.world = world;
    this.projects = projects;
    this.pool = pool;
  }

  /** Transactions of the next block, on top of `canonical`. */
  protected abstract makeTransactions(payments: readonly Payment[]): Transaction[];
  /** The transactions of an orphaned branch that are mined again, on top of `canonical`. */
  protected abstract keepTransactions(orphaned: readonly Transaction[]): Transaction[];
  /** Addresses that take part. */
  abstract endsOf(transaction: Transaction): readonly (string | undefined)[];

  start(): void {
    this.#mortal = new MortalDatabase();
    this.world.startAnalyzer(this.#mortal);
  }

  async play(step: Command<Payment>): Promise<void> {
    if (this.#mortal.isDead) await this.restart();
    switch (step.type) {
      case 'mine':
        return this.mine(this.makeTransactions(step.payments));
      case 'reorg':
        return this.reorg(step);
      case 'finalize':
        return this.finalize(this.canonical.length - step.behind);
      case 'watch':
        return this.watch(step);
      case 'commit':
        return this.commit();
      case 'policy':
        return this.choosePolicy(step.depth);
      case 'restart':
        return this.restart();
      case 'crash':
        return this.#mortal.killAt(step.statements, step.diesAfter);
      case 'settle':
        return this.settle();
    }
  }

  async settle(): Promise<void> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      if (this.#mortal.isDead) await this.restart();
      const [row] = await this.world.rows<{ cursor_seq: number; reason: string | null }>(
        'SELECT cursor_seq, reason FROM analyzer_states',
      );
      if (row?.cursor_seq === this.world.seq && !this.#mortal.isDead) return;
      if (Date.now() > deadline)
        throw new Error(`stuck at ${row?.cursor_seq} of ${this.world.seq}: ${row?.reason}`);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  }

  /** Settled before: whether a transaction still under way is detected under the old one is a matter of luck. */
  async choosePolicy(depth: number | undefined): Promise<void> {
    if (this.world.seq > 0) await this.settle();
    this.#depth = depth;
    await this.world.choosePolicy(this.projects[0]!, depth);
  }

  /** Whether a project counts a transaction of the chain as confirmed. */
  isConfirmed(projectId: string, { number }: Block, { hash }: Transaction): boolean {
    const depth = projectId === this.projects[0] ? this.#fixed.get(hash) : undefined;
    return depth === undefined ? number <= this.finalized : this.canonical.length - number + 1 >= depth;
  }

  async restart(): Promise<void> {
    await this.world.stopAnalyzer();
    this.start();
  }

  async mine(transactions: readonly Transaction[]): Promise<void> {
    this.salt += 1;
    const parent = this.canonical.at(-1);
    const block = this.world.chain.make(parent, { transactions }, String(this.salt));
    this.canonical.push(block);
    for (const transaction of transactions)
      this.#expect(transaction, transaction.isFailed ? 'transaction.failed' : 'transaction.detected');
    for (const transaction of transactions)
      if (this.concernsEarly(transaction) && !this.#fixed.has(transaction.hash))
        this.#fixed.set(transaction.hash, this.#depth);
    this.#expectByDepth();
    await this.world.feedBlocks(block);
  }

  /** What has its depth at this height. */
  #expectByDepth(): void {
    for (const block of this.canonical)
      for (const transaction of block.transactions)
        if (
          this.#fixed.get(transaction.hash) !== undefined &&
          !transaction.isFailed &&
          this.isConfirmed(this.projects[0]!, block, transaction)
        )
          this.#expect(transaction, 'transaction.confirmed');
  }

  async reorg({ depth, extra, keep }: { depth: number; extra: number; keep: boolean }): Promise<void> {
    const count = Math.min(depth, this.canonical.length - 1);
    if (count <= 0) return;
    // Whether a registration still open sees the reorg is a matter of luck; one that was answered counts from the first block replaced.
    await this.commit();
    const orphans = this.canonical.splice(this.canonical.length - count).reverse();
    for (const orphan of orphans) {
      for (const transaction of orphan.transactions) {
        // Counted per project: what did not concern it was not undone for it.
        if (this.concernsEarly(transaction))
          this.undone.set(transaction.hash, (this.undone.get(transaction.hash) ?? 0) + 1);
        this.#expect(transaction, 'transaction.reorged');
      }
    }
    for (const entry of this.watched.values())
      entry.fromBlock = Math.min(entry.fromBlock, orphans.at(-1)!.number);
    const isViolation = this.canonical.length < this.finalized;
    this.finalized = Math.min(this.finalized, this.canonical.length);
    const length = count + extra;
    await this.world.feedReorg(orphans, isViolation ? this.world.seq + count + length : undefined);
    const orphaned = orphans.flatMap((orphan) => [...orphan.transactions].reverse()).reverse();
    for (let position = 0; position < length; position += 1)
      await this.mine(keep && position === 0 ? this.keepTransactions(orphaned) : this.makeTransactions([]));
  }

  async finalize(number: number): Promise<void> {
    if (number <= this.finalized || number < 1) return;
    for (const block of this.canonical.slice(this.finalized, number))
      for (const transaction of block.transactions)
        if (!transaction.isFailed && this.#fixed.get(transaction.hash) === undefined)
          this.#expect(transaction, 'transaction.confirmed');
    this.finalized = number;
    await this.world.feedFinalize(this.canonical[number - 1]!);
  }

  async watch({
    project,
    address,
    isOpen,
    history,
  }: {
    project: number;
    address: number;
    isOpen: boolean;
    history: number | undefined;
  }): Promise<void> {
    const key = `${project}|${address}`;
    // Project 0 is left alone: with its early addresses only, what it is told is determined.
    if (this.watched.has(key)) return;
    await this.commit();
    const fromBlock = this.canonical.length;
    const client = await this.world.db.pool.connect();
    await client.query('BEGIN');
    const added = {
      ...(await this.world.watch(this.projects[project]!, this.pool[address]!, client)),
      fromBlock,
      ...(history === undefined || !this.world.hasHistory
        ? {}
        : { historyFrom: Math.max(0, fromBlock - history) }),
    };
    if (added.historyFrom !== undefined) await this.world.askForHistory(added, added.historyFrom, client);
    this.watched.set(key, added);
    this.#open = { client, address: added };
    if (!isOpen) await this.commit();
  }

  async commit(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    await open.client.query('COMMIT');
    open.client.release();
  }

  concernsEarly(transaction: Transaction): boolean {
    return (
      participantsOf(
        this.endsOf(transaction),
        this.early.map((entry) => entry.address),
      ).length > 0
    );
  }

  #expect(
    transaction: Transaction,
    type: 'transaction.detected' | 'transaction.failed' | 'transaction.confirmed' | 'transaction.reorged',
  ): void {
    if (!this.concernsEarly(transaction)) return;
    this.expectedIds.add(
      eventIdOf({
        projectId: this.projects[0]!,
        type,
        chainGid: this.world.gid,
        hash: transaction.hash,
        epoch: this.undone.get(transaction.hash) ?? 0,
      }),
    );
  }
}

/** An address that counts from a block on, and in final blocks from an earlier one on. */
export interface SpecWatch extends SpecAddress {
  fromBlock: number;
  readonly historyFrom?: number;
}

/** Which of `addresses` are among `ends`. */
export function participantsOf(
  ends: readonly (string | undefined)[],
  addresses: readonly string[],
): string[] {
  return addresses.filter((address) => ends.includes(address)).sort();
}
