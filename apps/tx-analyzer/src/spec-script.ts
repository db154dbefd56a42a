import type { Block, Transaction } from '@chainwatch/chain-core';
import { eventIdOf } from '@chainwatch/events';
import fc from 'fast-check';
import type pg from 'pg';
import { MortalDatabase } from './spec-mortal-database.ts';
import type { SpecAddress, SpecWorld } from './spec-world.ts';

/** What may happen around an analyzer; `Payment` is what a family's blocks are made of. */
export type Command<Payment> =
  | { readonly type: 'mine'; readonly payments: readonly Payment[] }
  | { readonly type: 'reorg'; readonly depth: number; readonly extra: number; readonly keep: boolean }
  | { readonly type: 'finalize'; readonly behind: number }
  | { readonly type: 'watch'; readonly project: number; readonly address: number; readonly isOpen: boolean }
  | { readonly type: 'commit' }
  | { readonly type: 'restart' }
  | { readonly type: 'crash'; readonly statements: number; readonly diesAfter: boolean }
  | { readonly type: 'settle' };

export function commandOf<Payment>(payment: fc.Arbitrary<Payment>, addresses: number): fc.Arbitrary<Command<Payment>> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ type: fc.constant('mine' as const), payments: fc.array(payment, { minLength: 1, maxLength: 3 }) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 5 }), extra: fc.nat(2), keep: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('finalize' as const), behind: fc.nat(4) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('watch' as const), project: fc.integer({ min: 1, max: 2 }), address: fc.nat(addresses - 1), isOpen: fc.boolean() }) },
    { weight: 2, arbitrary: fc.constant({ type: 'commit' as const }) },
    { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('crash' as const), statements: fc.integer({ min: 1, max: 60 }), diesAfter: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ type: 'settle' as const }) },
  );
}

/** Plays commands as ingestor, gateway, node and kernel would, and knows what must come of them. */
export abstract class SpecScript<Payment> {
  readonly world: SpecWorld;
  readonly projects: readonly string[];
  readonly pool: readonly string[];
  readonly canonical: Block[] = [];
  /** Watched from the first block on: everything about them is determined. */
  readonly early: SpecAddress[] = [];
  readonly watched = new Map<string, SpecAddress & { fromBlock: number }>();
  /** How often a block with the transaction was undone. */
  readonly undone = new Map<string, number>();
  /** Event ids that the project of the early addresses must have, no more and no fewer. */
  readonly expectedIds = new Set<string>();
  finalized = 0;
  protected salt = 0;
  #open: { client: pg.PoolClient; address: SpecAddress & { fromBlock: number } } | undefined;
  #mortal = new MortalDatabase();

  /** @param pool addresses to choose from */
  constructor(world: SpecWorld, projects: readonly string[], pool: readonly string[]) {
    this.world = world;
    this.projects = projects;
    this.pool = pool;
  }

  /** Transactions of the next block, on top of `canonical`. */
  protected abstract makeTransactions(payments: readonly Payment[]): Transaction[];
  /** What of an orphaned branch is mined again, on top of `canonical`. */
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
      case 'restart':
        return this.restart();
      case 'crash':
        return this.#mortal.killAt(step.statements, step.diesAfter);
      case 'settle':
        return this.settle();
    }
  }

  async settle(): Promise<void> {
    const deadline = Date.now() + 20_000;
    for (;;) {
      if (this.#mortal.isDead) await this.restart();
      const [row] = await this.world.rows<{ cursor_seq: number; reason: string | null }>('SELECT cursor_seq, reason FROM analyzer_states');
      if (row?.cursor_seq === this.world.seq && !this.#mortal.isDead) return;
      if (Date.now() > deadline) throw new Error(`stuck at ${row?.cursor_seq} of ${this.world.seq}: ${row?.reason}`);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  }

  async restart(): Promise<void> {
    await this.world.stopAnalyzer();
    this.start();
  }

  async mine(transactions: readonly Transaction[]): Promise<void> {
    this.salt += 1;
    const block = this.world.chain.make(this.canonical.at(-1), { transactions }, String(this.salt));
    this.canonical.push(block);
    for (const transaction of transactions) this.#expect(transaction, transaction.isFailed ? 'transaction.failed' : 'transaction.detected');
    await this.world.feedBlocks(block);
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
        if (this.concernsEarly(transaction)) this.undone.set(transaction.hash, (this.undone.get(transaction.hash) ?? 0) + 1);
        this.#expect(transaction, 'transaction.reorged');
      }
    }
    for (const entry of this.watched.values()) entry.fromBlock = Math.min(entry.fromBlock, orphans.at(-1)!.number);
    const isViolation = this.canonical.length < this.finalized;
    this.finalized = Math.min(this.finalized, this.canonical.length);
    const length = count + extra;
    await this.world.feedReorg(orphans, isViolation ? this.world.seq + count + length : undefined);
    const orphaned = orphans.flatMap((orphan) => [...orphan.transactions].reverse()).reverse();
    for (let position = 0; position < length; position += 1) await this.mine(keep && position === 0 ? this.keepTransactions(orphaned) : this.makeTransactions([]));
  }

  async finalize(number: number): Promise<void> {
    if (number <= this.finalized || number < 1) return;
    for (const block of this.canonical.slice(this.finalized, number)) for (const transaction of block.transactions) if (!transaction.isFailed) this.#expect(transaction, 'transaction.confirmed');
    this.finalized = number;
    await this.world.feedFinalize(this.canonical[number - 1]!);
  }

  async watch({ project, address, isOpen }: { project: number; address: number; isOpen: boolean }): Promise<void> {
    const key = `${project}|${address}`;
    // Project 0 is left alone: with its early addresses only, what it is told is determined.
    if (this.watched.has(key)) return;
    await this.commit();
    const fromBlock = this.canonical.length;
    const client = await this.world.db.pool.connect();
    await client.query('BEGIN');
    const added = { ...(await this.world.watch(this.projects[project]!, this.pool[address]!, client)), fromBlock };
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
    return participantsOf(this.endsOf(transaction), this.early.map((entry) => entry.address)).length > 0;
  }

  #expect(transaction: Transaction, type: 'transaction.detected' | 'transaction.failed' | 'transaction.confirmed' | 'transaction.reorged'): void {
    if (!this.concernsEarly(transaction)) return;
    this.expectedIds.add(eventIdOf({ projectId: this.projects[0]!, type, chainGid: this.world.gid, hash: transaction.hash, epoch: this.undone.get(transaction.hash) ?? 0 }));
  }
}

/** Which of `addresses` are among `ends`. */
export function participantsOf(ends: readonly (string | undefined)[], addresses: readonly string[]): string[] {
  return addresses.filter((address) => ends.includes(address)).sort();
}
