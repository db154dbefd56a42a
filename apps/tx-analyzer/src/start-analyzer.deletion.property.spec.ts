// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Block, Transaction } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf, NATIVE, TOKEN } from '@chainwatch/data/testing';
import { makeTransaction, SpecMempool } from './spec-world/spec-chain.ts';
import { MortalDatabase } from './spec-world/spec-mortal-database.ts';
import { codec, COIN, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const RUNS = Number(process.env.ANALYZER_RUNS ?? 12);
const PROJECTS = 2;
const FEE = 21n;

interface Payment {
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
  readonly isToken: boolean;
  readonly isFailed: boolean;
}

type Command =
  | { readonly type: 'mine' | 'see'; readonly payments: readonly Payment[] }
  | { readonly type: 'reorg'; readonly depth: number; readonly keep: boolean }
  | { readonly type: 'finalize'; readonly behind: number }
  | { readonly type: 'watch' | 'delete'; readonly project: number; readonly address: number }
  | { readonly type: 'crash'; readonly statements: number; readonly diesAfter: boolean }
  | { readonly type: 'evict' };

/** What a payment moves, as an account sees it. */
interface Move {
  readonly address: string;
  readonly assetGid: string;
  readonly delta: bigint;
}

interface Family {
  readonly of?: { readonly network: typeof utxoNetwork; readonly utxo: typeof codec };
  readonly pool: readonly string[];
  make(payment: Payment, name: string): { transaction: Transaction; moves: readonly Move[] };
}

const ACCOUNTS: Family = {
  pool: Array.from({ length: 4 }, (_, index) => `0x${String(index).repeat(40)}`),
  make({ from: sender, to: recipient, amount, isToken, isFailed }, name) {
    const [from, to] = [this.pool[sender]!, this.pool[recipient]!];
    const [assetGid, type] = isToken ? ([TOKEN, 'token'] as const) : ([NATIVE, 'native'] as const);
    const transaction = makeTransaction(name, {
      from,
      to,
      isFailed,
      fee: { assetGid: NATIVE, amountRaw: FEE, payer: from },
      transfers: isFailed ? [] : [{ index: 0, type, assetGid, from, to, amountRaw: amount }],
    });
    const moved = [
      { address: from, assetGid, delta: -amount },
      { address: to, assetGid, delta: amount },
    ];
    const fee = { address: from, assetGid: NATIVE, delta: -FEE };
    return { transaction, moves: isFailed ? [fee] : [...moved, fee] };
  },
};

/** Everything is paid out of a stranger's coins. */
const OUTPUTS: Family = {
  of: { network: utxoNetwork, utxo: codec },
  pool: ['zero', 'one', 'two', 'three'],
  make({ from, to, amount }, name) {
    const outputs = [
      [this.pool[from]!, 1n],
      [this.pool[to]!, amount],
    ] as const;
    return {
      transaction: makeUtxoTransaction(name, [{ txid: hashOf(`coin of ${name}`), vout: 0 }], outputs),
      moves: outputs.map(([address, delta]) => ({ address, assetGid: COIN, delta })),
    };
  },
};

const index = fc.nat(3);
const payments = fc.array(
  fc.record({
    from: index,
    to: index,
    amount: fc.bigInt(1n, 9n),
    isToken: fc.boolean(),
    isFailed: fc.nat(7).map((die) => die === 0),
  }),
  { minLength: 1, maxLength: 3 },
);
const target = { project: fc.nat(PROJECTS - 1), address: index };
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('mine' as const), payments }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('see' as const), payments }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 4 }),
      keep: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('finalize' as const), behind: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('watch' as const), ...target }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('delete' as const), ...target }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('crash' as const),
      statements: fc.integer({ min: 1, max: 60 }),
      diesAfter: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'evict' as const }) },
);

interface Watch {
  readonly id: string;
  readonly project: number;
  readonly address: string;
  fromBlock: number;
}

/** What was told of and not undone: by project and hash the changes of address ids. */
class Script {
  readonly canonical: Block[] = [];
  readonly told = new Map<string, readonly (Move & { readonly id: string })[]>();
  readonly #world: SpecWorld;
  readonly #family: Family;
  readonly #projects: readonly string[];
  readonly #moves = new Map<string, readonly Move[]>();
  readonly #pending = new Map<string, Transaction>();
  #watches: Watch[] = [];
  #mortal = new MortalDatabase();
  #count = 0;
  #finalized = 0;

  constructor(world: SpecWorld, family: Family, projects: readonly string[]) {
    this.#world = world;
    this.#family = family;
    this.#projects = projects;
    if (family.of !== undefined) world.chain.mempool = new SpecMempool();
    world.startAnalyzer(this.#mortal);
  }

  async play(step: Command): Promise<void> {
    switch (step.type) {
      case 'mine':
        return this.#mine([...this.#pending.values(), ...step.payments.map((each) => this.#make(each))]);
      case 'see':
        return this.#see(step.payments);
      case 'reorg':
        return this.#reorg(step.depth, step.keep);
      case 'finalize':
        return this.#finalize(this.canonical.length - step.behind);
      case 'watch':
        return this.#watch(step.project, this.#family.pool[step.address]!);
      case 'delete':
        return this.#delete(step.project, this.#family.pool[step.address]!);
      case 'crash':
        return this.#mortal.killAt(step.statements, step.diesAfter);
      case 'evict':
        return this.#evict();
    }
  }

  /** Nothing is left that could still change. */
  async finish(): Promise<void> {
    await this.#evict();
    await this.#mine([]);
    await this.#finalize(this.canonical.length);
    await this.settle();
  }

  async settle(): Promise<void> {
    await waitFor(
      async () => {
        if (this.#mortal.isDead) {
          await this.#world.stopAnalyzer();
          this.#mortal = new MortalDatabase();
          this.#world.startAnalyzer(this.#mortal);
        }
        const [row] = await this.#world.rows<{ cursor_seq: number }>(
          'SELECT cursor_seq FROM analyzer_states',
        );
        return (row?.cursor_seq ?? 0) === this.#world.seq && this.#isMempoolTold();
      },
      { timeoutMs: 30_000, intervalMs: 3, message: 'everything to be told' },
    );
  }

  /** Pending records are those of the mempool: the cursor does not say so. */
  async #isMempoolTold(): Promise<boolean> {
    const rows = await this.#world.rows<{ hash: string }>(
      `SELECT DISTINCT hash FROM transactions WHERE status = 'pending'`,
    );
    const told = [...this.#pending.keys()].filter((hash) =>
      this.#projects.some((_, project) => this.told.has(`${project}|${hash}`)),
    );
    return rows.length === told.length && rows.every(({ hash }) => told.includes(hash));
  }

  #make(payment: Payment): Transaction {
    this.#count += 1;
    const { transaction, moves } = this.#family.make(payment, String(this.#count));
    this.#moves.set(transaction.hash, moves);
    return transaction;
  }

  #tell({ hash }: Transaction, number: number): void {
    for (const project of this.#projects.keys()) {
      const key = `${project}|${hash}`;
      if (this.told.has(key)) continue;
      const own = this.#watches.filter((each) => each.project === project && each.fromBlock <= number);
      const changes = this.#moves
        .get(hash)!
        .flatMap((move) =>
          own.filter(({ address }) => address === move.address).map(({ id }) => ({ ...move, id })),
        );
      if (changes.length > 0) this.told.set(key, changes);
    }
  }

  #undo({ hash }: Transaction): void {
    for (const project of this.#projects.keys()) this.told.delete(`${project}|${hash}`);
  }

  #show(): void {
    this.#world.chain.mempool?.set(this.canonical.at(-1)!, ...this.#pending.values());
  }

  async #mine(transactions: readonly Transaction[]): Promise<void> {
    this.#count += 1;
    const block = this.#world.chain.make(
      this.canonical.at(-1),
      { transactions: [...transactions] },
      String(this.#count),
    );
    this.canonical.push(block);
    for (const transaction of transactions) {
      this.#pending.delete(transaction.hash);
      this.#tell(transaction, block.number);
    }
    this.#show();
    await this.#world.feedBlocks(block);
  }

  async #see(seen: readonly Payment[]): Promise<void> {
    if (this.#family.of === undefined || this.canonical.length === 0) return;
    await this.settle();
    for (const each of seen) {
      const transaction = this.#make(each);
      this.#pending.set(transaction.hash, transaction);
      this.#tell(transaction, Number.POSITIVE_INFINITY);
    }
    this.#show();
    await this.settle();
  }

  async #evict(): Promise<void> {
    if (this.canonical.length === 0) return;
    await this.settle();
    for (const transaction of this.#pending.values()) this.#undo(transaction);
    this.#pending.clear();
    this.#show();
    await this.settle();
  }

  async #reorg(depth: number, keep: boolean): Promise<void> {
    const count = Math.min(depth, this.canonical.length - Math.max(1, this.#finalized));
    if (count <= 0) return;
    // What is undone must not be seen in the mempool by chance.
    await this.#evict();
    const orphans = this.canonical.splice(this.canonical.length - count).reverse();
    for (const { transactions } of orphans) for (const each of transactions) this.#undo(each);
    for (const each of this.#watches) each.fromBlock = Math.min(each.fromBlock, orphans.at(-1)!.number);
    await this.#world.feedReorg(orphans);
    const undone = orphans.flatMap(({ transactions }) => [...transactions]);
    for (let position = 0; position <= count; position += 1)
      await this.#mine(keep && position === 1 ? undone : []);
  }

  async #finalize(number: number): Promise<void> {
    if (number <= this.#finalized || number < 1) return;
    this.#finalized = number;
    await this.#world.feedFinalize(this.canonical[number - 1]!);
  }

  /** It counts from the head on: what is there already must not be new to it, or its project was told of it without it. */
  async #watch(project: number, address: string): Promise<void> {
    if (this.#watches.some((each) => each.project === project && each.address === address)) return;
    const isKnown = ({ hash }: Transaction): boolean =>
      !this.#moves.get(hash)!.some((move) => move.address === address) ||
      (this.told.get(`${project}|${hash}`) ?? []).some((change) => change.address === address);
    if (![...this.#pending.values()].every(isKnown)) return;
    if (this.canonical.at(-1)?.transactions.every(isKnown) !== true) await this.#mine([]);
    await this.settle();
    const { id } = await this.#world.watch(this.#projects[project]!, address);
    this.#watches.push({ id, project, address, fromBlock: this.canonical.length });
  }

  async #delete(project: number, address: string): Promise<void> {
    const own = this.#watches.find((each) => each.project === project && each.address === address);
    if (own === undefined) return;
    await this.settle();
    await this.#world.db.query('DELETE FROM addresses WHERE id = $1', [own.id]);
    this.#watches = this.#watches.filter((each) => each !== own);
  }
}

type Sums = ReadonlyMap<string, bigint>;

function sum(changes: readonly { readonly id: string; readonly assetGid: string; readonly delta: bigint }[]) {
  const sums = new Map<string, bigint>();
  for (const { id, assetGid, delta } of changes)
    sums.set(`${id} ${assetGid}`, (sums.get(`${id} ${assetGid}`) ?? 0n) + delta);
  return new Map([...sums].filter(([, value]) => value !== 0n).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Told minus undone, after a look at each telling: its events say the same. */
function sumTold(events: readonly { readonly type: string; readonly payload: string }[]): Sums {
  const parsed = events.map((event) =>
    EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload)),
  );
  const open = new Map<string, unknown>();
  const changes = parsed.flatMap(({ type, data }) => {
    const { hash, block_number: number } = data.transaction;
    // In whatever order.
    const said = [
      new Set(data.balance_changes.map((change) => JSON.stringify(change))),
      new Set(data.addresses?.map(({ address_id }) => address_id)),
    ];
    const begins = !open.has(hash);
    if (begins) open.set(hash, said);
    expect(said).toEqual(open.get(hash));
    const isUndone =
      (type as string) === 'transaction.reorged' ||
      ((type as string) === 'transaction.failed' && number === null);
    if (isUndone) open.delete(hash);
    const sign = isUndone ? -1n : begins ? 1n : 0n;
    return data.balance_changes.map(({ address_id: id, asset_gid: assetGid, delta_raw }) => ({
      id,
      assetGid,
      delta: sign * BigInt(delta_raw),
    }));
  });
  return sum(changes);
}

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());

it.each([
  ['accounts', ACCOUNTS],
  ['unspent outputs and a mempool', OUTPUTS],
] as const)(
  'tells what it undoes, whoever deletes addresses meanwhile: %s',
  async (_, family) => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 15, maxLength: 40, size: 'max' }), async (commands) => {
        const world = await SpecWorld.start(postgres, {
          pollMs: 100,
          mempoolPollMs: family.of === undefined ? 0 : 5,
          mempoolGraceMs: 20,
          of: family.of,
        });
        try {
          const projects = [await world.addProject(), await world.addProject()];
          // What is confirmed there may be undone.
          await world.choosePolicy(projects[0]!, 1);
          const script = new Script(world, family, projects);
          for (const step of commands) await script.play(step);
          await script.finish();
          const events = await world.events();
          for (const [project, id] of projects.entries()) {
            const expected = [...script.told].filter(([key]) => key.startsWith(`${project}|`));
            expect(sumTold(events.filter(({ project_id }) => project_id === id))).toEqual(
              sum(expected.flatMap(([, changes]) => changes)),
            );
          }
          expect(await world.rows('SELECT FROM transaction_tombstones')).toEqual([]);
        } finally {
          await world.stop();
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  300_000,
);
