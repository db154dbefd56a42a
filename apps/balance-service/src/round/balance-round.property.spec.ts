// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { PoolClient } from 'pg';
import { ChainError, type BlockRef } from '@chainwatch/chain-core';
import type { PostgresHandle } from '@chainwatch/testing';
import { NATIVE, network, startPostgres, TOKEN } from '@chainwatch/data/testing';
import { runBalanceStep } from '../chain/balance-step.ts';
import type { BalanceReader } from '../read/balance-reader.ts';
import type { Drift, SpecBlock, SpecTransaction } from '../spec-world/spec-chain.ts';
import { StepWorld } from '../spec-world/spec-step-world.ts';
import { storeOn } from '../spec-world/spec-store.ts';
import { runRoundPiece } from './run-round-piece.ts';

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const RUNS = Number(process.env.ROUND_RUNS ?? 25);
const STRANGER = '0xffffffffffffffffffffffffffffffffffffffff';
const PARTIES = [
  '0x00000000000000000000000000000000000000a1',
  '0x00000000000000000000000000000000000000b2',
  STRANGER,
];
/** On the project's list, never seen on an address. */
const WRAPPED = `${network.gid}/erc20:0x00000000000000000000000000000000000000ee`;
const ASSETS = [NATIVE, TOKEN, WRAPPED];

const transfer = fc.record({
  assetGid: fc.constantFrom(NATIVE, TOKEN),
  from: fc.constantFrom(...PARTIES),
  to: fc.constantFrom(...PARTIES),
  amount: fc.bigInt(1n, 50n),
  fee: fc.bigInt(0n, 3n),
});
/** Of a decoder that is switched off: neither a transaction nor a request tells it. */
const hidden = fc.record({
  address: fc.constantFrom(...PARTIES),
  assetGid: fc.constantFrom(...ASSETS),
  delta: fc.bigInt(-9n, 9n),
});
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('block' as const),
      transfers: fc.array(transfer, { maxLength: 3 }),
      hidden: fc.array(hidden, { maxLength: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('step' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('round' as const),
      /** What happens while the chain is asked. */
      during: fc.constantFrom('nothing', 'nothing', 'block', 'reorg', 'transfer at once'),
      /** The node answers with the state of an older block, says that it has none, or has a part of the next block. */
      node: fc.constantFrom('right', 'right', 'right', 'stale', 'behind', 'ahead'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 4 }),
      back: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('confirm' as const), depth: fc.integer({ min: 0, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('pack' as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type NodeState = Extract<Operation, { type: 'round' }>['node'];

interface Kind {
  readonly tellsHeadOnly: boolean;
  /** What is hidden happens. */
  readonly hides: boolean;
}

class History implements Kind {
  readonly world: StepWorld;
  readonly session: PoolClient;
  readonly tellsHeadOnly: boolean;
  readonly hides: boolean;
  readonly branch: SpecBlock[];
  /** The last reading of a round was not the truth: the next one is, as a second opinion. */
  #hasLied = false;
  #pending = 100n;
  #wasSecond = false;

  private constructor(world: StepWorld, session: PoolClient, { tellsHeadOnly, hides }: Kind) {
    this.world = world;
    this.session = session;
    this.tellsHeadOnly = tellsHeadOnly;
    this.hides = hides;
    this.branch = [world.tip];
  }

  static async start(kind: Kind): Promise<History> {
    const world = await StepWorld.start(postgres);
    await world.addAsset(WRAPPED, 'active', 18);
    const projects = [await world.addProject(), await world.addProject()];
    await world.db.query(
      `INSERT INTO project_assets (project_id, asset_gid, chain_gid, namespace, reference, type, status)
       SELECT p, a.gid, a.chain_gid, a.namespace, a.reference, a.type, a.status FROM unnest($1::uuid[]) p, assets a WHERE a.gid = ANY($2)`,
      [projects, [TOKEN, WRAPPED]],
    );
    const watched = [
      await world.watch(projects[0]!, PARTIES[0]!),
      await world.watch(projects[0]!, PARTIES[1]!),
      await world.watch(projects[1]!, PARTIES[1]!),
    ];
    for (const { id } of watched)
      await world.db.query(
        'INSERT INTO address_watches (address_id, chain_gid, from_block) VALUES ($1, $2, $3)',
        [id, network.gid, world.tip.number],
      );
    const history = new History(world, await world.db.pool.connect(), kind);
    await history.#work();
    return history;
  }

  async play(one: Operation): Promise<void> {
    if (one.type === 'block') return this.#addBlock(one.transfers, one.hidden);
    if (one.type === 'step') return this.#step();
    if (one.type === 'round') return this.#round(one);
    if (one.type === 'reorg') return this.#reorg(one.depth, one.back);
    if (one.type === 'pack') return void (await this.world.pack());
    return this.world.confirm(this.branch.at(-1 - one.depth) ?? this.branch[0]!);
  }

  /** Some blocks later a round has found everything. */
  async finish(): Promise<void> {
    this.#hasLied = false;
    for (let count = 0; count < 4; count += 1) {
      for (let block = 0; block < (this.tellsHeadOnly ? 40 : 1); block += 1) await this.#addBlock([], []);
      await this.#work();
      for (let piece = 0; piece < 4; piece += 1) await this.#round({ during: 'nothing', node: 'right' });
    }
    await this.#work();
  }

  async #work(): Promise<void> {
    for (let count = 0; (await this.world.countWork()) > 0; count += 1) {
      if (count > 100) throw new Error('the work does not end');
      await this.#step();
    }
  }

  async #addBlock(
    transfers: readonly Omit<SpecTransaction, 'hash'>[],
    drifts: readonly Drift[],
  ): Promise<void> {
    const block = this.world.mine(transfers, this.hides ? drifts : []);
    this.branch.push(block);
    await this.world.analyze(block);
  }

  async #reorg(depth: number, back: boolean): Promise<void> {
    const orphans = this.branch.splice(Math.max(this.branch.length - depth, 1)).reverse();
    const confirmed = await this.world.rows<{ number: number }>(
      'SELECT confirmed_number AS number FROM analyzer_states',
    );
    const final = confirmed[0]?.number ?? -1;
    while ((orphans.at(-1)?.number ?? Infinity) <= final) this.branch.push(orphans.pop()!);
    if (orphans.length === 0) return;
    await this.world.orphan(...orphans);
    await this.world.undo(...orphans);
    if (!back) return;
    for (const block of orphans.reverse()) {
      this.branch.push(block);
      this.world.tip = block;
      await this.world.analyze(block);
    }
  }

  async #step(): Promise<void> {
    await this.#unlessChainError(() =>
      runBalanceStep({
        store: storeOn(this.session),
        client: this.world.chain.client(),
        clock: () => new Date(),
        signal: new AbortController().signal,
      }),
    );
  }

  /** As the worker does: only when nothing is asked for. */
  async #round({ during, node }: Omit<Extract<Operation, { type: 'round' }>, 'type'>): Promise<void> {
    await this.#work();
    this.world.chain.onRead = async () => {
      this.world.chain.onRead = undefined;
      if (during === 'block') await this.#addBlock([], []);
      if (during === 'transfer at once')
        await this.#addBlock([{ assetGid: TOKEN, from: STRANGER, to: PARTIES[0]!, amount: 7n }], []);
      if (during === 'reorg') await this.#reorg(1, false);
    };
    const piece = await this.#unlessChainError(() =>
      runRoundPiece({
        store: storeOn(this.session),
        client: this.#reader(node),
        clock: () => new Date(),
        signal: new AbortController().signal,
        intervalMs: 0,
        requestsMax: 10,
        isRoundsTurn: this.#wasSecond,
        isSuspect: false,
      }),
    );
    if (piece?.type === 'done') this.#wasSecond = piece.isSecond;
    this.world.chain.onRead = undefined;
  }

  /** A node that is wrong now and then, but not twice in succession. */
  #reader(node: NodeState): BalanceReader {
    const client = this.world.chain.client();
    const state = this.#hasLied && (node === 'stale' || node === 'ahead') ? 'right' : node;
    if (state !== 'behind') this.#hasLied = state === 'stale' || (state === 'ahead' && this.tellsHeadOnly);
    return {
      network: client.network,
      tellsHeadOnly: this.tellsHeadOnly,
      close: () => undefined,
      readBalances: async (at, queries, signal) => {
        if (state === 'behind') this.world.chain.missing.add(at.hash);
        try {
          return await client.readBalances(this.#answered(at, state), queries, signal);
        } finally {
          this.world.chain.missing.delete(at.hash);
        }
      },
    };
  }

  #answered(at: BlockRef, state: NodeState): BlockRef {
    const position = this.branch.findIndex(({ hash }) => hash === at.hash);
    if (state === 'stale') return this.branch[position - 1] ?? at;
    if (state !== 'ahead' || !this.tellsHeadOnly || position !== this.branch.length - 1) return at;
    // It tells the state at its head, with a transfer that a block may have later.
    this.#pending += 1n;
    return this.world.chain.mine(this.branch[position], {
      transactions: [{ assetGid: TOKEN, from: STRANGER, to: PARTIES[0]!, amount: this.#pending }],
    });
  }

  async #unlessChainError<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return undefined;
    }
  }
}

const histories = fc.tuple(fc.array(operation, { minLength: 8, maxLength: 30 }), fc.boolean());
const options = {
  numRuns: RUNS,
  includeErrorInReport: true,
  ...(process.env.ROUND_SEED !== undefined && { seed: Number(process.env.ROUND_SEED) }),
};

async function playAll(
  [operations, tellsHeadOnly]: readonly [readonly Operation[], boolean],
  hides: boolean,
  expectRight: (history: History) => Promise<void>,
): Promise<void> {
  const history = await History.start({ tellsHeadOnly, hides });
  try {
    for (const one of operations) await history.play(one);
    await history.finish();
    await expectRight(history);
  } finally {
    history.session.release();
    await history.world.stop();
  }
}

/** A node is behind twice, and equal amounts came between: a history that once told one of them as an adjustment. */
const BEHIND_TWICE: readonly [Operation[], boolean] = [
  [
    { type: 'round', during: 'transfer at once', node: 'right' },
    { type: 'round', during: 'nothing', node: 'stale' },
    { type: 'round', during: 'transfer at once', node: 'right' },
    { type: 'round', during: 'nothing', node: 'stale' },
  ],
  false,
];

/** A node is behind, and a reorg undoes the block of the reading and many before it: a history that once left the difference open. */
const UNDONE: readonly [Operation[], boolean] = [
  [
    { type: 'block', transfers: [], hidden: [] },
    { type: 'block', transfers: [], hidden: [] },
    { type: 'block', transfers: [], hidden: [] },
    {
      type: 'block',
      transfers: [{ assetGid: NATIVE, from: PARTIES[0]!, to: PARTIES[0]!, amount: 1n, fee: 1n }],
      hidden: [],
    },
    { type: 'round', during: 'nothing', node: 'stale' },
    { type: 'reorg', depth: 1, back: false },
    { type: 'reorg', depth: 3, back: false },
  ],
  false,
];

test('a round tells no adjustment that a transfer explains', async () => {
  await fc.assert(
    fc.asyncProperty(histories, (played) =>
      playAll(played, false, async ({ world }) => {
        const told = (await world.events()).flatMap(({ data }) => data.changes ?? []);
        expect(told.filter(({ reason }) => reason === 'adjustment')).toEqual([]);
        expect(await world.rows('SELECT * FROM adjustments')).toEqual([]);
        expect(await world.rows('SELECT * FROM balance_differences')).toEqual([]);
      }),
    ),
    { ...options, examples: [[BEHIND_TWICE], [UNDONE]] },
  );
}, 3_600_000);

interface Told {
  readonly amount: string;
  readonly from: number;
  readonly until: number;
}

const TOLD =
  'SELECT amount_raw::text AS amount, from_block AS "from", block_number AS until FROM adjustments WHERE address_id = $1 AND asset_gid = $2';

/** The first reading of an asset shows 1, the second 2, and rounds began in between. */
const GROWN: readonly [Operation[], boolean] = [
  [
    grow(1n),
    grow(0n),
    { type: 'round', during: 'nothing', node: 'right' },
    { type: 'confirm', depth: 0 },
    grow(0n),
    { type: 'round', during: 'nothing', node: 'right' },
    grow(1n),
  ],
  true,
];
function grow(delta: bigint): Operation {
  return { type: 'block', transfers: [], hidden: [{ address: PARTIES[0]!, assetGid: WRAPPED, delta }] };
}

test('a round finds everything that nobody told', async () => {
  await fc.assert(
    fc.asyncProperty(histories, (played) =>
      playAll(played, true, async ({ world, branch }) => {
        for (const address of world.addresses)
          for (const assetGid of ASSETS) {
            const pair = { address: address.address, assetGid };
            const truth = world.chain.balanceAt(branch.at(-1)!, address.address, assetGid);
            expect({ ...pair, balance: (await world.balanceOf(address, assetGid)) ?? 0n }).toEqual({
              ...pair,
              balance: truth,
            });
            const adjusted = (await world.adjustmentsOf(address, assetGid)).reduce(
              (sum, one) => sum + one,
              0n,
            );
            // What was there before the first reading has no reason that anybody could know.
            const [first] = await world.rows<{ number: number | null }>(
              'SELECT min(block_number) AS number FROM balance_history WHERE address_id = $1 AND asset_gid = $2',
              [address.id, assetGid],
            );
            const drifts = branch
              .flatMap((block) => block.drifts.map((drift) => ({ ...drift, number: block.number })))
              .filter((drift) => drift.address === address.address && drift.assetGid === assetGid);
            const drifted = drifts
              .filter(({ number }) => number > (first!.number ?? Infinity))
              .reduce((sum, { delta }) => sum + delta, 0n);
            expect({ ...pair, adjusted }).toEqual({ ...pair, adjusted: drifted });
            for (const { amount, from, until } of await world.rows<Told>(TOLD, [address.id, assetGid])) {
              const happened = drifts.filter(({ number }) => number > from && number <= until);
              expect({ ...pair, from, until, amount }).toEqual({
                ...{ ...pair, from, until },
                amount: happened.reduce((sum, { delta }) => sum + delta, 0n).toString(),
              });
            }
          }
        // What customers were told adds up to the balance.
        const last = new Map<string, string | null>();
        for (const { data } of await world.events()) {
          const pair = `${data.address_id} ${data.asset_gid}`;
          if (last.has(pair)) expect(data.previous).toBe(last.get(pair));
          last.set(pair, data.current);
        }
      }),
    ),
    { ...options, examples: [[GROWN]] },
  );
}, 3_600_000);
