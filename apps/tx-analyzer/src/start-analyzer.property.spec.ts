import fc from 'fast-check';
import type { Block, Transaction } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS, eventIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import type pg from 'pg';
import { makeTransaction, NATIVE, network, TOKEN } from './spec-chain.ts';
import { MortalDatabase } from './spec-mortal-database.ts';
import { SpecWorld, type SpecAddress } from './spec-world.ts';

const POOL = Array.from({ length: 5 }, (_, index) => `0x${String(index).repeat(40)}`);
const RUNS = Number(process.env.ANALYZER_RUNS ?? 25);

type Command =
  | { readonly type: 'mine'; readonly payments: readonly Payment[] }
  | { readonly type: 'reorg'; readonly depth: number; readonly extra: number; readonly keep: boolean }
  | { readonly type: 'finalize'; readonly behind: number }
  | { readonly type: 'watch'; readonly project: number; readonly address: number; readonly isOpen: boolean }
  | { readonly type: 'commit' }
  | { readonly type: 'restart' }
  | { readonly type: 'crash'; readonly statements: number; readonly diesAfter: boolean }
  | { readonly type: 'settle' };

interface Payment {
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
  readonly isToken: boolean;
  readonly isFailed: boolean;
}

const index = fc.integer({ min: 0, max: POOL.length - 1 });
const payment: fc.Arbitrary<Payment> = fc.record({ from: index, to: index, amount: fc.bigInt(0n, 10n), isToken: fc.boolean(), isFailed: fc.nat(7).map((die) => die === 0) });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('mine' as const), payments: fc.array(payment, { minLength: 1, maxLength: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 5 }), extra: fc.nat(2), keep: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('finalize' as const), behind: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('watch' as const), project: fc.integer({ min: 1, max: 2 }), address: index, isOpen: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ type: 'commit' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('crash' as const), statements: fc.integer({ min: 1, max: 60 }), diesAfter: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ type: 'settle' as const }) },
);

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());

/** Plays commands as ingestor, gateway, node and kernel would, and knows what must come of them. */
class Script {
  readonly world: SpecWorld;
  readonly projects: string[];
  readonly canonical: Block[] = [];
  /** Watched from the first block on: everything about them is determined. */
  readonly early: SpecAddress[] = [];
  readonly watched = new Map<string, SpecAddress & { fromBlock: number }>();
  /** How often a block with the transaction was undone. */
  readonly undone = new Map<string, number>();
  /** Event ids that the project of the early addresses must have, no more and no fewer. */
  readonly expectedIds = new Set<string>();
  finalized = 0;
  #salt = 0;
  #open: { client: pg.PoolClient; address: SpecAddress & { fromBlock: number } } | undefined;
  #mortal = new MortalDatabase();

  constructor(world: SpecWorld, projects: string[]) {
    this.world = world;
    this.projects = projects;
  }

  start(): void {
    this.#mortal = new MortalDatabase();
    this.world.startAnalyzer(this.#mortal);
  }

  async play(step: Command): Promise<void> {
    if (this.#mortal.isDead) await this.restart();
    switch (step.type) {
      case 'mine':
        return this.mine(step.payments.map((each, position) => this.pay(each, `${this.#salt}:${position}`)));
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
    this.#salt += 1;
    const block = this.world.chain.make(this.canonical.at(-1), { transactions }, String(this.#salt));
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
        if (this.#concernsEarly(transaction)) this.undone.set(transaction.hash, (this.undone.get(transaction.hash) ?? 0) + 1);
        this.#expect(transaction, 'transaction.reorged');
      }
    }
    for (const entry of this.watched.values()) entry.fromBlock = Math.min(entry.fromBlock, orphans.at(-1)!.number);
    const isViolation = this.canonical.length < this.finalized;
    this.finalized = Math.min(this.finalized, this.canonical.length);
    const length = count + extra;
    await this.world.feedReorg(orphans, isViolation ? this.world.seq + count + length : undefined);
    const survivors = keep ? orphans.flatMap((orphan) => [...orphan.transactions].reverse()).reverse().map((transaction) => this.#again(transaction)) : [];
    for (let position = 0; position < length; position += 1) await this.mine(position === 0 ? survivors : []);
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
    const added = { ...(await this.world.watch(this.projects[project]!, POOL[address]!, client)), fromBlock };
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

  pay({ from, to, amount, isToken, isFailed }: Payment, name: string): Transaction {
    const [sender, recipient] = [POOL[from]!, POOL[to]!];
    const transfer = { index: 0, from: sender, to: recipient, amountRaw: amount, ...(isToken ? { type: 'token', assetGid: TOKEN, logIndex: 0 } as const : { type: 'native', assetGid: NATIVE } as const) };
    return makeTransaction(name, { from: sender, to: recipient, isFailed, fee: { assetGid: NATIVE, amountRaw: 21n, payer: sender }, transfers: isFailed ? [] : [transfer] });
  }

  #concernsEarly(transaction: Transaction): boolean {
    return participantsOf(transaction, this.early.map((entry) => entry.address)).length > 0;
  }

  /** Mined again, a transaction may do something else: here a paid one pays the next address. */
  #again(transaction: Transaction): Transaction {
    return { ...transaction, transfers: transaction.transfers.map((transfer) => ({ ...transfer, to: POOL[(POOL.indexOf(transfer.to!) + 1) % POOL.length]! })) };
  }

  #expect(transaction: Transaction, type: 'transaction.detected' | 'transaction.failed' | 'transaction.confirmed' | 'transaction.reorged'): void {
    if (!this.#concernsEarly(transaction)) return;
    this.expectedIds.add(eventIdOf({ projectId: this.projects[0]!, type, chainGid: network.gid, hash: transaction.hash, epoch: this.undone.get(transaction.hash) ?? 0 }));
  }
}

function participantsOf(transaction: Transaction, addresses: readonly string[]): string[] {
  const ends = [transaction.from, ...transaction.transfers.flatMap(({ from, to }) => [from, to])];
  return addresses.filter((address) => ends.includes(address)).sort();
}

async function check(script: Script): Promise<void> {
  const { world, projects } = script;
  const watched = [...script.watched.values(), ...script.early.map((entry) => ({ ...entry, fromBlock: 0 }))];
  const expected = script.canonical.flatMap((block) =>
    block.transactions.flatMap((transaction) =>
      projects.flatMap((projectId) => {
        const own = watched.filter((entry) => entry.projectId === projectId && entry.fromBlock <= block.number).map((entry) => entry.address);
        const participants = participantsOf(transaction, own);
        if (participants.length === 0) return [];
        const isFinal = block.number <= script.finalized;
        const status = transaction.isFailed ? 'failed' : isFinal ? 'confirmed' : 'detected';
        const transfers = transaction.transfers.map((transfer) => ({ amount: String(transfer.amountRaw), monitored: [...new Set([transfer.from!, transfer.to!])].filter((address) => own.includes(address)).sort() })).filter(({ monitored }) => monitored.length > 0);
        return [{ projectId, hash: transaction.hash, status, isFinal, blockHash: block.hash, participants, transfers }];
      }),
    ),
  );
  const key = (row: { projectId: string; hash: string }) => `${row.projectId}|${row.hash}`;
  const byKey = <T extends { projectId: string; hash: string }>(rows: readonly T[]) => [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const read = () => world.rows<{ projectId: string; hash: string; status: string; epoch: number }>(
    `SELECT project_id AS "projectId", hash, status, confirmed_at IS NOT NULL AS "isFinal", block_hash AS "blockHash",
       COALESCE((SELECT json_agg(a.address ORDER BY a.address) FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id WHERE ta.transaction_id = t.id), '[]') AS participants,
       COALESCE((SELECT json_agg(json_build_object('amount', amount_raw::text, 'monitored', (SELECT array_agg(m ORDER BY m) FROM unnest(monitored_addresses) m)) ORDER BY index) FROM transfers f WHERE f.transaction_id = t.id), '[]') AS transfers
     FROM transactions t WHERE status <> 'reorged'`,
  );
  // Late addresses are found at the next look, which is not an entry of the feed.
  await waitFor(async () => {
    expect(byKey(await read())).toEqual(byKey(expected));
    return true;
  }, { timeoutMs: 5_000 });

  const blocks = await world.rows(`SELECT hash, status FROM blocks WHERE status <> 'reorged' ORDER BY number`);
  expect(blocks).toEqual(script.canonical.map(({ hash, number }) => ({ hash, status: number <= script.finalized ? 'confirmed' : 'processed' })));

  const events = await world.rows<{ event_id: string; project_id: string; type: string; sequence: number; payload: string; transaction_id: string; is_held: boolean }>('SELECT * FROM events ORDER BY id');
  expect(events.filter((event) => event.project_id === projects[0]).map((event) => event.event_id).sort()).toEqual([...script.expectedIds].sort());
  for (const projectId of projects) {
    const sequences = events.filter((event) => event.project_id === projectId).map((event) => event.sequence);
    expect(sequences).toEqual(sequences.map((_, position) => position + 1));
  }
  const rows = await world.rows<{ id: string; status: string; epoch: number; is_failed: boolean }>('SELECT id, status, epoch, is_failed FROM transactions');
  for (const row of rows) {
    const own = events.filter((event) => event.transaction_id === row.id).map((event) => event.type.slice('transaction.'.length));
    expect(own.join(' ')).toMatch(/^((detected( confirmed)?|failed) reorged )*(((detected( confirmed)?)|failed)( reorged)?)$/);
    expect(own.filter((type) => type === 'reorged')).toHaveLength(row.epoch);
    expect(own.at(-1)).toBe(row.status);
  }
  for (const event of events) EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload));
  expect(events.some((event) => event.is_held)).toBe(false);
  await waitFor(() => events.every((event) => world.bus.published.some(({ messageId }) => messageId === event.event_id)), { timeoutMs: 8_000, message: 'every event to be published' });
  const known = new Map(events.map((event) => [event.event_id, JSON.parse(event.payload) as unknown]));
  for (const { messageId, payload } of world.bus.published) expect(payload).toEqual(known.get(messageId));
}

describe('startAnalyzer, whatever happens', () => {
  it('ends where the chain is, with every event once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 15, maxLength: 45, size: 'max' }), async (commands) => {
        const world = await SpecWorld.start(postgres, { pollMs: 5, groupBlocksMax: 4, prefetchWindow: 6 });
        let script: Script | undefined;
        try {
          script = new Script(world, [await world.addProject(), await world.addProject(), await world.addProject()]);
          script.early.push(await world.watch(script.projects[0]!, POOL[0]!), await world.watch(script.projects[0]!, POOL[1]!));
          script.start();
          for (const step of commands) await script.play(step);
          await script.commit();
          await script.settle();
          // The last process lives: what an earlier one owed is done by it.
          await script.restart();
          await check(script);
        } finally {
          await script?.commit();
          await world.stop();
        }
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
