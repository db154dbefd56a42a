// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction, UnknownPart } from '@chainwatch/chain-core';
import { eventIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, TOKEN } from '@chainwatch/data/testing';
import fc from 'fast-check';
import { makeTransaction, type SpecEndpoint } from './spec-world/spec-chain.ts';
import { MortalDatabase } from './spec-world/spec-mortal-database.ts';
import { codec, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import {
  incidents,
  makeBlind,
  partOf,
  passLimit,
  reprocess,
  requestReprocess,
  transactions,
  withMore,
} from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;

const DAY_MS = 86_400_000;
const KIND = 'transaction-type:0x7d';
const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const native = { type: 'native', assetGid: NATIVE, from: BOB, to: ALICE, amountRaw: 5n } as const;
const token = { type: 'token', assetGid: TOKEN, from: BOB, to: ALICE, amountRaw: 7n, logIndex: 0 } as const;
const inner = { type: 'internal', assetGid: NATIVE, from: BOB, to: ALICE, amountRaw: 2n } as const;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());

async function start(): Promise<void> {
  world = await SpecWorld.start(postgres, { unknownWaitMs: DAY_MS / 2, pollMs: 100 });
  project = await world.addProject();
  await world.watch(project, ALICE);
}

const knowing: SpecEndpoint = { label: 'new', tell: (block) => block };
/** How a decoder that does not know the kind tells a transaction. */
type Blurred = (transaction: Transaction) => Transaction;
const blur =
  (hash: string, change: Blurred) =>
  (block: Block): Block => ({
    ...block,
    transactions: block.transactions.map((transaction) =>
      transaction.hash === hash ? change(transaction) : transaction,
    ),
  });
const strange = (name: string): Transaction =>
  makeTransaction(`strange ${name}`, {
    from: BOB,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: BOB },
    transfers: [
      { index: 0, ...native },
      { index: 1, ...inner },
      { index: 2, ...token },
    ],
  });
const plain = (name: string): Transaction =>
  makeTransaction(`plain ${name}`, { from: BOB, transfers: [{ index: 0, ...native }] });
const tell = (
  types: readonly (readonly ['detected' | 'confirmed' | 'reorged' | 'failed', Transaction, number?])[],
) =>
  types
    .map(([type, { hash }, epoch = 0]) =>
      eventIdOf({ projectId: project, type: `transaction.${type}`, chainGid: world.gid, hash, epoch }),
    )
    .sort();
const told = async () => (await world.events()).map(({ event_id: id }) => id).sort();
const legs = (hash: string) =>
  world.rows(
    'SELECT index, type, amount_raw::text, monitored_addresses FROM transfers f JOIN transactions t ON t.id = f.transaction_id WHERE t.hash = $1 ORDER BY index',
    [hash],
  );

/** Blocks with a strange and a plain transaction each, taken by a release that does not know the kind; all but the last final. */
async function takeStrange(count: number, change: Blurred): Promise<Block[]> {
  const blocks: Block[] = [];
  const parts = new Map<string, readonly UnknownPart[]>();
  for (let number = 1; number <= count; number += 1) {
    const block = world.chain.make(blocks.at(-1), {
      transactions: [strange(`${number}`), plain(`${number}`)],
    });
    parts.set(block.hash, [partOf(KIND, block.transactions[0]!.hash)]);
    blocks.push(block);
  }
  world.chain.endpoints = [
    makeBlind('old', parts, (block) => blur(block.transactions[0]!.hash, change)(block)),
  ];
  world.startAnalyzer();
  await world.feedBlocks(...blocks);
  await waitFor(async () => (await incidents(world)).length === 1);
  await passLimit(world);
  if (count > 1) await world.feedFinalize(blocks.at(-2)!);
  await world.settle();
  return blocks;
}

/** The next release takes over. */
async function upgrade(endpoint: SpecEndpoint = knowing): Promise<void> {
  await world.stopAnalyzer();
  world.chain.endpoints = [endpoint];
  world.startAnalyzer();
}

const unseen: Blurred = ({ from: _from, fee: _fee, ...rest }) => ({ ...rest, transfers: [] });
const half: Blurred = (transaction) => ({
  ...transaction,
  transfers: [
    { index: 0, ...native },
    { index: 1, ...token },
  ],
});

describe('blocks that are processed again by a release that knows more', () => {
  beforeEach(start);
  afterEach(() => world.stop());

  it('tell what was not understood, with the event ids that it would have had, once', async () => {
    const blocks = await takeStrange(3, unseen);
    const plains = blocks.map((block) => block.transactions[1]!);
    const stranges = blocks.map((block) => block.transactions[0]!);
    expect(await told()).toEqual(
      tell([
        ...plains.map((each) => ['detected', each] as const),
        ['confirmed', plains[0]!],
        ['confirmed', plains[1]!],
      ]),
    );
    await upgrade();
    await reprocess(world, 1, 3);
    const all = tell([
      ...[...plains, ...stranges].map((each) => ['detected', each] as const),
      ...[...plains.slice(0, 2), ...stranges.slice(0, 2)].map((each) => ['confirmed', each] as const),
    ]);
    expect(await told()).toEqual(all);
    expect(await incidents(world)).toMatchObject([{ status: 'resolved' }]);
    expect((await transactions(world)).map(({ status }) => status)).toEqual([
      'confirmed',
      'confirmed',
      'confirmed',
      'confirmed',
      'detected',
      'detected',
    ]);
    expect((await world.events()).map(({ sequence }) => sequence)).toEqual(
      all.map((_, position) => position + 1),
    );
    // Between two of them everything else had its turn: after a restart addresses are looked for once more.
    await reprocess(world, 1, 3);
    const reads = await world.rows('SELECT count(*) FROM balance_reads');
    await reprocess(world, 1, 3);
    expect(await told()).toEqual(all);
    expect(await world.rows('SELECT count(*) FROM balance_reads')).toEqual(reads);
  });

  it('make records whole that knew a part, prove them, and confirm them as due', async () => {
    const [one, two] = await takeStrange(2, half);
    const [strangeOne, plainOne] = one!.transactions;
    expect(await transactions(world)).toMatchObject([
      { is_unproved: true, is_withheld: true, status: 'detected' },
      { status: 'confirmed' },
      { is_unproved: true, status: 'detected' },
      { status: 'detected' },
    ]);
    await upgrade();
    await reprocess(world, 1, 2);
    expect(await legs(strangeOne!.hash)).toEqual([
      { index: 0, type: 'native', amount_raw: '5', monitored_addresses: [ALICE] },
      { index: 1, type: 'internal', amount_raw: '2', monitored_addresses: [ALICE] },
      { index: 2, type: 'token', amount_raw: '7', monitored_addresses: [ALICE] },
    ]);
    expect(await transactions(world)).toEqual([
      { hash: strangeOne!.hash, status: 'confirmed', is_unproved: false, is_withheld: false },
      { hash: plainOne!.hash, status: 'confirmed', is_unproved: false, is_withheld: false },
      { hash: two!.transactions[0]!.hash, status: 'detected', is_unproved: false, is_withheld: false },
      { hash: two!.transactions[1]!.hash, status: 'detected', is_unproved: false, is_withheld: false },
    ]);
    expect(await told()).toEqual(
      tell([
        ...[...one!.transactions, ...two!.transactions].map((each) => ['detected', each] as const),
        ['confirmed', strangeOne!],
        ['confirmed', plainOne!],
      ]),
    );
    const confirmed = (await world.events()).find(({ event_id: id }) =>
      tell([['confirmed', strangeOne!]]).includes(id),
    )!;
    expect(
      (JSON.parse(confirmed.payload) as { data: { transaction: object } }).data.transaction,
    ).toMatchObject({
      verification: 'proved',
      transfers: [{ amount_raw: '5' }, { amount_raw: '2' }, { amount_raw: '7' }],
    });
    expect(await world.rows('SELECT FROM unproved_transactions')).toEqual([]);
    await world.feedFinalize(two!);
    await world.settle();
    expect((await transactions(world)).map(({ status }) => status)).toEqual([
      'confirmed',
      'confirmed',
      'confirmed',
      'confirmed',
    ]);
  });

  it.each([
    ['half', half],
    ['unseen', unseen],
  ] as const)(
    'find records whole that another address was late for, though the release before told %s of them',
    async (_name, change) => {
      const [one] = await takeStrange(1, change);
      const [first, second] = one!.transactions;
      await world.stopAnalyzer();
      // Registered while nobody analysed: looked for in the block that passed, by the next release.
      const { id } = await world.watch(project, BOB);
      await world.db.query('UPDATE address_watches SET from_block = 1 WHERE address_id = $1', [id]);
      await upgrade();
      await waitFor(
        async () =>
          (await world.rows(`SELECT FROM transaction_addresses WHERE address_id = $1`, [id])).length === 2,
        { message: 'the late address' },
      );
      expect((await legs(first!.hash)).map((leg) => (leg as { type: string }).type)).toEqual([
        'native',
        'internal',
        'token',
      ]);
      await world.feedFinalize(one!);
      await reprocess(world, 1, 1);
      await waitFor(async () => (await transactions(world)).every(({ status }) => status === 'confirmed'));
      expect(await told()).toEqual(
        tell([
          ['detected', first!],
          ['confirmed', first!],
          ['detected', second!],
          ['confirmed', second!],
        ]),
      );
    },
  );

  it('keep what stood for an address that is not watched any more', async () => {
    const carol = await world.watch(project, BOB);
    const [one] = await takeStrange(1, half);
    await world.setMonitored(carol.id, false);
    await upgrade();
    await reprocess(world, 1, 1);
    const both = [ALICE, BOB].sort();
    expect(
      (await legs(one!.transactions[0]!.hash)).map((leg) =>
        [...(leg as { monitored_addresses: string[] }).monitored_addresses].sort(),
      ),
    ).toEqual([both, [ALICE], both]);
  });

  it('take back what one node made up, in the words of a reorg, and tell what is so', async () => {
    const [one] = await takeStrange(
      1,
      (transaction) =>
        withMore(transaction.hash)({ transactions: [transaction] } as unknown as Block).transactions[0]!,
    );
    const [first, second] = one!.transactions;
    expect((await legs(first!.hash))[0]).toMatchObject({ amount_raw: '6' });
    await world.db.query('DELETE FROM balance_reads');
    await upgrade();
    await world.feedFinalize(one!);
    await reprocess(world, 1, 1);
    expect((await legs(first!.hash))[0]).toMatchObject({ amount_raw: '5' });
    // At the head: adjustments that the lie explained are computed again (read-retroactive-corrections.ts). A piece that is done
    // again asks again.
    expect(
      await world.rows(
        `SELECT DISTINCT asset_gid, block_number, reason FROM balance_reads WHERE reason = 'detected' ORDER BY asset_gid`,
      ),
    ).toEqual(
      [NATIVE, TOKEN].sort().map((gid) => ({ asset_gid: gid, block_number: null, reason: 'detected' })),
    );
    await waitFor(async () => (await transactions(world)).every(({ status }) => status === 'confirmed'));
    expect(await told()).toEqual(
      tell([
        ['detected', first!],
        ['reorged', first!, 1],
        ['detected', first!, 1],
        ['confirmed', first!, 1],
        ['detected', second!],
        ['confirmed', second!],
      ]),
    );
  });

  it("take back a transaction that is not in the block, or not the project's", async () => {
    const [one] = await takeStrange(1, (transaction) => transaction);
    const [first, second] = one!.transactions;
    await upgrade({
      label: 'new',
      tell: (block) => ({ ...block, transactions: block.transactions.slice(1) }),
    });
    await reprocess(world, 1, 1);
    expect(await transactions(world)).toMatchObject([{ status: 'reorged' }, { status: 'detected' }]);
    expect(await told()).toEqual(
      tell([
        ['detected', first!],
        ['reorged', first!, 1],
        ['detected', second!],
      ]),
    );
    await upgrade();
    await reprocess(world, 1, 1);
    expect(await told()).toEqual(
      tell([
        ['detected', first!],
        ['reorged', first!, 1],
        ['detected', first!, 1],
        ['detected', second!],
      ]),
    );
  });

  it('leave the incident open while its kind is not known, and what is proved as it is', async () => {
    const blocks = await takeStrange(2, half);
    const proved = blocks[0]!.transactions[1]!;
    await upgrade(
      makeBlind('worse', new Map(blocks.map((block) => [block.hash, [partOf(KIND)]])), withMore(proved.hash)),
    );
    await reprocess(world, 1, 2);
    expect(await incidents(world)).toMatchObject([
      { kind: KIND, status: 'open', block_number: 1, last_block_number: 2 },
    ]);
    expect(await legs(proved.hash)).toMatchObject([{ amount_raw: '5' }]);
    expect(await transactions(world)).toMatchObject([
      { is_unproved: true },
      { hash: proved.hash, is_unproved: false, status: 'confirmed' },
      { is_unproved: true },
      { is_unproved: false },
    ]);
    // Half of the blocks of an incident say nothing of the others.
    await upgrade();
    await reprocess(world, 2, 2);
    expect(await incidents(world)).toMatchObject([{ status: 'open' }]);
    await reprocess(world, 1, 2);
    expect(await incidents(world)).toMatchObject([{ status: 'resolved' }]);
  });
});

describe('processing again, whatever happens', () => {
  it('loses nothing and tells nothing twice where the process is killed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ statements: fc.integer({ min: 1, max: 60 }), diesAfter: fc.boolean() }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.constantFrom(unseen, half),
        async (kills, change) => {
          await start();
          try {
            const blocks = await takeStrange(20, change);
            await world.stopAnalyzer();
            world.chain.endpoints = [knowing];
            await requestReprocess(world, 1, 20);
            for (const { statements, diesAfter } of kills) {
              const mortal = new MortalDatabase();
              world.startAnalyzer(mortal);
              mortal.killAt(statements, diesAfter);
              await waitFor(
                async () =>
                  mortal.isDead ||
                  (await world.rows(`SELECT FROM reprocesses WHERE status = 'running'`)).length === 0,
                { intervalMs: 2, message: 'the end' },
              );
              await world.stopAnalyzer();
            }
            world.startAnalyzer();
            await waitFor(
              async () => (await world.rows(`SELECT FROM reprocesses WHERE status = 'running'`)).length === 0,
              { message: 'the blocks to be processed again' },
            );
            const all = blocks.flatMap((block) => block.transactions);
            const final = blocks.slice(0, -1).flatMap((block) => block.transactions);
            expect(await told()).toEqual(
              tell([
                ...all.map((each) => ['detected', each] as const),
                ...final.map((each) => ['confirmed', each] as const),
              ]),
            );
            expect(await incidents(world)).toMatchObject([{ status: 'resolved' }]);
            expect(await world.rows('SELECT count(*)::int AS count FROM transfers')).toEqual([
              { count: 20 * 4 },
            ]);
            await waitFor(
              async () => (await world.events()).every(({ is_published: isPublished }) => isPublished),
              { message: 'every event to be published' },
            );
          } finally {
            await world.stop();
          }
        },
      ),
      { numRuns: 8 },
    );
  }, 300_000);

  it('changes nothing on a chain of unspent outputs that was understood, coins spent since included', async () => {
    world = await SpecWorld.start(postgres, { pollMs: 100, of: { network: utxoNetwork, utxo: codec } });
    project = await world.addProject();
    await world.watch(project, 'alice');
    const paid = makeUtxoTransaction(
      'paid',
      [{ txid: 'a'.repeat(64), vout: 0 }],
      [
        ['alice', 5n],
        ['bob', 1n],
      ],
    );
    const spent = makeUtxoTransaction('spent', [{ txid: paid.hash, vout: 0 }], [['bob', 4n]]);
    const one = world.chain.make(undefined, { transactions: [paid] });
    const two = world.chain.make(one, { transactions: [spent] });
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    const read = async () => [
      await world.rows('SELECT * FROM transactions ORDER BY id'),
      await world.rows('SELECT * FROM transfers ORDER BY transaction_id, index'),
      await world.rows('SELECT * FROM utxos ORDER BY txid, vout'),
      await told(),
    ];
    const before = await read();
    expect(before[0]).toHaveLength(2);
    await world.stopAnalyzer();
    world.startAnalyzer();
    await reprocess(world, 1, 2);
    expect(await read()).toEqual(before);
    await world.stop();
  });
});
