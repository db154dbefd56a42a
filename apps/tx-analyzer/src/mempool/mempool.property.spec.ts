// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { EVENT_SCHEMAS, eventIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { outpointKey } from '../model/coin.ts';
import { MortalDatabase } from '../spec-world/spec-mortal-database.ts';
import { codec, utxoNetwork } from '../spec-world/spec-utxo-chain.ts';
import { SpecUtxoNode } from '../spec-world/spec-utxo-node.ts';
import { SpecWorld } from '../spec-world/spec-world.ts';

/** The first project watches 0 and 1, the second 1 and 2 and, when told to, 3; nobody watches 4. */
const POOL = ['zero', 'one', 'two', 'three', 'four'];
const RUNS = Number(process.env.ANALYZER_RUNS ?? 12);
const GRACE_MS = 60;

type Command =
  | { readonly type: 'send'; readonly coins: readonly number[]; readonly to: readonly number[] }
  | { readonly type: 'bump'; readonly which: number; readonly to: readonly number[] }
  | { readonly type: 'evict' | 'restore'; readonly which: number }
  | { readonly type: 'mine'; readonly mask: number; readonly thief?: number | undefined }
  | {
      readonly type: 'reorg';
      readonly depth: number;
      readonly masks: readonly number[];
      readonly thief?: number | undefined;
    }
  | { readonly type: 'finalize'; readonly behind: number }
  | { readonly type: 'watch' | 'restart' | 'settle' }
  | { readonly type: 'look'; readonly ms: number }
  | { readonly type: 'crash'; readonly statements: number; readonly diesAfter: boolean };

const nat = fc.nat(1_000);
const to = fc.array(fc.nat(POOL.length - 1), { minLength: 1, maxLength: 3 });
const one = <T extends string>(type: T) => fc.constant({ type });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('send' as const), coins: fc.array(nat, { maxLength: 3 }), to }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('bump' as const), which: nat, to }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('evict' as const, 'restore' as const), which: nat }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('mine' as const),
      mask: nat,
      thief: fc.option(nat, { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 4 }),
      masks: fc.array(nat, { minLength: 1, maxLength: 5 }),
      thief: fc.option(nat, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('finalize' as const), behind: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.oneof(one('watch'), one('restart')) },
  { weight: 2, arbitrary: one('settle') },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('look' as const),
      ms: fc.integer({ min: 1, max: 2 * GRACE_MS }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('crash' as const),
      statements: fc.integer({ min: 1, max: 60 }),
      diesAfter: fc.boolean(),
    }),
  },
);

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());

/** Plays node, ingestor, gateway and kernel. */
class Script {
  readonly world: SpecWorld;
  readonly node: SpecUtxoNode;
  readonly projects: string[] = [];
  /** Of the second project, from that block on. */
  lateFrom: number | undefined;
  finalized = 0;
  #mortal = new MortalDatabase();

  constructor(world: SpecWorld) {
    this.world = world;
    this.node = new SpecUtxoNode(world.chain);
  }

  async begin(): Promise<void> {
    for (const addresses of [
      [0, 1],
      [1, 2],
    ]) {
      const projectId = await this.world.addProject();
      this.projects.push(projectId);
      for (const address of addresses) await this.world.watch(projectId, POOL[address]!);
    }
    await this.world.feedBlocks(this.node.mine(() => true));
    this.node.show();
    this.start();
  }

  start(): void {
    this.#mortal = new MortalDatabase();
    this.world.startAnalyzer(this.#mortal);
  }

  async restart(): Promise<void> {
    await this.world.stopAnalyzer();
    this.start();
  }

  async play(step: Command): Promise<void> {
    if (this.#mortal.isDead) await this.restart();
    const { node } = this;
    switch (step.type) {
      case 'send': {
        const { free } = node.coins();
        const inputs = new Map(
          step.coins
            .flatMap((pick) => (free.length === 0 ? [] : [free[pick % free.length]!]))
            .map((coin) => [outpointKey(coin), coin]),
        );
        node.accept(
          node.make(
            [...inputs.values()],
            step.to.map((each) => POOL[each]!),
          ),
        );
        break;
      }
      case 'bump': {
        const victim = [...node.mempool.values()][step.which % Math.max(node.mempool.size, 1)];
        if (victim !== undefined)
          node.accept(
            node.make(
              victim.utxo.inputs.slice(0, 1),
              step.to.map((each) => POOL[each]!),
            ),
          );
        break;
      }
      case 'evict':
        node.drop([...node.mempool.keys()][step.which % Math.max(node.mempool.size, 1)] ?? '');
        break;
      case 'restore':
        node.accept(
          [...node.known.values()][step.which % Math.max(node.known.size, 1)] ?? node.make([], ['four']),
        );
        break;
      case 'mine':
        await this.mine(step.mask, step.thief);
        break;
      case 'reorg':
        await this.reorg(step);
        break;
      case 'finalize':
        await this.finalize(node.canonical.length - step.behind);
        break;
      case 'watch':
        return this.watch();
      case 'restart':
        return this.restart();
      case 'settle':
        return this.settle();
      case 'look':
        return new Promise((resolve) => setTimeout(resolve, step.ms));
      case 'crash':
        return this.#mortal.killAt(step.statements, step.diesAfter);
    }
    node.show();
  }

  /** `thief`: a transaction that nobody saw before spends what one of the mempool spends. */
  async mine(mask: number, thief: number | undefined): Promise<void> {
    const { node } = this;
    // Its coin is there without the mempool.
    const victims = [...node.mempool.values()].filter(({ utxo }) =>
      utxo.inputs.some(({ txid }) => !node.mempool.has(txid)),
    );
    const victim = thief === undefined ? undefined : victims[thief % Math.max(victims.length, 1)];
    const inputs = victim?.utxo.inputs.filter(({ txid }) => !node.mempool.has(txid)).slice(0, 1);
    const more = inputs === undefined ? [] : [node.make(inputs, [POOL[thief! % POOL.length]!])];
    await this.world.feedBlocks(node.mine((position) => (mask & (1 << (position % 10))) === 0, more));
  }

  async reorg({
    depth,
    masks,
    thief,
  }: {
    depth: number;
    masks: readonly number[];
    thief?: number | undefined;
  }): Promise<void> {
    const count = Math.min(depth, this.node.canonical.length - 1);
    if (count <= 0) return;
    const orphans = this.node.undo(count);
    if (this.lateFrom !== undefined) this.lateFrom = Math.min(this.lateFrom, orphans.at(-1)!.number);
    const isViolation = this.node.canonical.length < this.finalized;
    this.finalized = Math.min(this.finalized, this.node.canonical.length);
    const length = Math.max(count, masks.length);
    await this.world.feedReorg(orphans, isViolation ? this.world.seq + count + length : undefined);
    for (let position = 0; position < length; position += 1)
      await this.mine(masks[position] ?? 0, position === 0 ? thief : undefined);
  }

  async finalize(number: number): Promise<void> {
    if (number <= this.finalized || number < 1) return;
    this.finalized = number;
    await this.world.feedFinalize(this.node.canonical[number - 1]!);
  }

  async watch(): Promise<void> {
    if (this.lateFrom !== undefined) return;
    this.lateFrom = this.node.canonical.length;
    await this.world.watch(this.projects[1]!, POOL[3]!);
  }

  async settle(): Promise<void> {
    await waitFor(
      async () => {
        if (this.#mortal.isDead) await this.restart();
        const [row] = await this.world.rows<{ cursor_seq: number }>('SELECT cursor_seq FROM analyzer_states');
        return row?.cursor_seq === this.world.seq && !this.#mortal.isDead;
      },
      { intervalMs: 3, message: 'the cursor to reach the feed' },
    );
  }
}

interface Row {
  readonly project_id: string;
  readonly hash: string;
  readonly status: string;
  readonly epoch: number;
  readonly block_hash: string | null;
  readonly replaced_by: string | null;
  readonly fee_amount_raw: string | null;
  readonly legs: readonly string[] | null;
}

async function check(script: Script): Promise<void> {
  const { world, node, projects } = script;
  const own = [
    ['zero', 'one'],
    ['one', 'two'],
  ];
  const addressesOf = (hash: string) => {
    const { utxo } = node.known.get(hash)!;
    return {
      from: utxo.inputs.map((input) => node.coinAt(input)?.address),
      to: node.coinsOf(hash).map(({ address }) => address),
    };
  };
  const blockOf = new Map(
    node.canonical.flatMap((block) => block.transactions.map(({ hash }) => [hash, block] as const)),
  );
  /** Concerns it for certain. What the retroactive address spends is left open: its coins of before were never told. */
  const isSure = (position: number, hash: string) => {
    const { from, to: paid } = addressesOf(hash);
    if ([...from, ...paid].some((address) => own[position]!.includes(address ?? ''))) return true;
    return (
      position === 1 &&
      script.lateFrom !== undefined &&
      paid.includes('three') &&
      (blockOf.get(hash)?.number ?? Number.MAX_SAFE_INTEGER) >= script.lateFrom
    );
  };
  const read = () =>
    world.rows<Row>(
      `SELECT project_id, hash, status, epoch, block_hash, replaced_by, fee_amount_raw,
         (SELECT json_agg(concat_ws('|', r.index, COALESCE(r.from_address, '-'), COALESCE(r.to_address, '-'), r.amount_raw, cardinality(r.monitored_addresses)) ORDER BY r.index) FROM transfers r WHERE r.transaction_id = t.id) AS legs
       FROM transactions t`,
    );
  const live = (rows: readonly Row[]) =>
    rows.filter(({ status }) => ['pending', 'detected', 'confirmed'].includes(status));
  const statusOf = (hash: string) =>
    node.mempool.has(hash)
      ? 'pending'
      : blockOf.get(hash)!.number <= script.finalized
        ? 'confirmed'
        : 'detected';
  const expected = projects.flatMap((projectId, position) =>
    [...blockOf.keys(), ...node.mempool.keys()]
      .filter((hash) => isSure(position, hash))
      .map((hash) => `${projectId} ${hash} ${statusOf(hash)} ${blockOf.get(hash)?.hash}`),
  );
  await waitFor(async () => {
    const rows = live(await read());
    const sure = rows
      .filter(({ project_id, hash }) => isSure(projects.indexOf(project_id), hash))
      .map((row) => `${row.project_id} ${row.hash} ${row.status} ${row.block_hash ?? undefined}`);
    expect(sure.sort()).toEqual([...expected].sort());
    for (const { hash } of rows) expect(node.mempool.has(hash) || blockOf.has(hash)).toBe(true);
    return true;
  });
  await world.stopAnalyzer();

  const rows = await read();
  const events = await world.events();
  for (const projectId of projects) {
    const sequences = events.filter((event) => event.project_id === projectId).map((event) => event.sequence);
    expect(sequences).toEqual(sequences.map((_, position) => position + 1));
  }
  expect(events.some((event) => event.is_held)).toBe(false);
  for (const row of rows)
    checkHistory(
      row,
      events
        .filter((event) => event.project_id === row.project_id)
        .map((event) => EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload))),
    );
  for (const row of live(rows).filter(({ project_id }) => project_id === projects[0]))
    expect(row.legs).toEqual(legsOf(node, row.hash, own[0]!));
  for (const { replaced_by, status, hash } of rows) {
    if (replaced_by === null) continue;
    expect(status).toBe('failed');
    expect(
      spendsOf(node, hash).some((key) =>
        node.known.get(replaced_by)!.utxo.inputs.some((input) => outpointKey(input) === key),
      ),
    ).toBe(true);
  }
  const inputs = await world.rows<{ key: string }>(
    `SELECT hash || ' ' || prev_txid || ':' || prev_vout AS key FROM pending_inputs`,
  );
  const pending = new Set(rows.filter(({ status }) => status === 'pending').map(({ hash }) => hash));
  expect(inputs.map(({ key }) => key).sort()).toEqual(
    [...pending]
      .flatMap((hash) => node.known.get(hash)!.utxo.inputs.map((input) => `${hash} ${outpointKey(input)}`))
      .sort(),
  );
}

/** Told and undone in turn, each with the id of its epoch. */
function checkHistory(
  row: Row,
  events: readonly {
    event_id: string;
    type: string;
    data: { transaction: { hash: string; status: string } };
  }[],
): void {
  let epoch = 0;
  let isTold = false;
  for (const event of events.filter(({ data }) => data.transaction.hash === row.hash)) {
    const type = event.type as 'transaction.detected';
    if (event.type === 'transaction.reorged') epoch += 1;
    expect([event.event_id, isTold]).toEqual([
      eventIdOf({ projectId: row.project_id, type, chainGid: utxoNetwork.gid, hash: row.hash, epoch }),
      event.type !== 'transaction.detected',
    ]);
    if (event.type === 'transaction.failed') epoch += 1;
    if (event.type !== 'transaction.confirmed') isTold = event.type === 'transaction.detected';
  }
  expect([epoch, isTold]).toEqual([row.epoch, row.status !== 'reorged' && row.status !== 'failed']);
}

/** What it and everything it stands on spends. */
function spendsOf(node: SpecUtxoNode, hash: string): string[] {
  return (node.known.get(hash)?.utxo.inputs ?? []).flatMap((input) => [
    outpointKey(input),
    ...spendsOf(node, input.txid),
  ]);
}

/** The first project's: its own ends and, where it spends, where the money goes. */
function legsOf(node: SpecUtxoNode, hash: string, addresses: readonly string[]): string[] {
  const { inputs } = node.known.get(hash)!.utxo;
  const ins = inputs.flatMap((input, vin) => {
    const coin = node.coinAt(input);
    return coin !== undefined && addresses.includes(coin.address)
      ? [`${vin}|${coin.address}|-|${coin.amountRaw}|1`]
      : [];
  });
  const outs = node.coinsOf(hash).filter(({ address }) => ins.length > 0 || addresses.includes(address));
  return [
    ...ins,
    ...outs.map(
      ({ vout, address, amountRaw }) =>
        `${inputs.length + vout}|-|${address}|${amountRaw}|${addresses.includes(address) ? 1 : 0}`,
    ),
  ];
}

describe('the mempool, whatever happens', () => {
  it('ends as the node has it, with every event once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 15, maxLength: 45, size: 'max' }), async (commands) => {
        const world = await SpecWorld.start(postgres, {
          of: { network: utxoNetwork, utxo: codec },
          pollMs: 100,
          groupBlocksMax: 4,
          prefetchWindow: 6,
          mempoolPollMs: 3,
          mempoolGraceMs: GRACE_MS,
        });
        try {
          const script = new Script(world);
          await script.begin();
          for (const step of commands) await script.play(step);
          await script.settle();
          // The last process lives: what an earlier one owed is done by it.
          await script.restart();
          await check(script);
        } finally {
          await world.stop();
        }
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
