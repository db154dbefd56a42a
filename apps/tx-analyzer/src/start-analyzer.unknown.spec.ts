// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  IncompleteBlockError,
  type Block,
  type UnknownPart,
} from '@chainwatch/chain-core';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import {
  accept,
  incidents,
  makeBlind,
  partOf,
  passLimit,
  transactions,
  withMore,
} from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;
/** What the decoders of this release do not know, by block hash. */
let parts: Map<string, readonly UnknownPart[]>;

const DAY_MS = 86_400_000;
const KIND = 'transaction-type:0x7d';
const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres, { unknownWaitMs: DAY_MS / 2 });
  project = await world.addProject();
  await world.watch(project, ALICE);
  parts = new Map();
});
afterEach(() => world.stop());

const pay = (name: string, amountRaw = 5n) =>
  makeTransaction(name, {
    from: BOB,
    to: ALICE,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: BOB },
    transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: BOB, to: ALICE, amountRaw }],
  });
/** A block with one payment of a kind that nobody knows, and one that everybody knows. */
const makeUnknown = (parent: Block | undefined, name: string): Block => {
  const block = world.chain.make(parent, {
    transactions: [pay(`strange ${name}`), pay(`plain ${name}`, 7n)],
  });
  parts.set(block.hash, [partOf(KIND, block.transactions[0]!.hash)]);
  return block;
};
const types = async () =>
  (await world.events()).map(
    ({ type, payload }) =>
      `${type} ${EVENT_SCHEMAS['transaction.detected'].shape.data.parse((JSON.parse(payload) as { data: unknown }).data).transaction.hash}`,
  );
const isWaiting = () =>
  waitFor(
    async () =>
      (await world.rows(`SELECT FROM incidents WHERE last_block_number IS NULL AND status = 'open'`)).length >
      0,
    { message: 'an incident that waits' },
  );
const cursor = async () =>
  (
    await world.rows<{ cursor_seq: number; status: string; reason: string }>(
      'SELECT cursor_seq, status, reason FROM analyzer_states',
    )
  )[0];

describe('a block with something unknown', () => {
  it('that shows only when its transaction is decoded is told without it, and the chain goes on', async () => {
    const one = makeUnknown(undefined, '1');
    const two = world.chain.make(one, { transactions: [pay('2')] });
    const blind = makeBlind('one', parts);
    let isDoubted = false;
    // As a block that is proved from its bytes: whole at its first reading, until somebody takes part.
    const lazy = (block: Block): Block =>
      Object.defineProperty({ ...block }, 'transactions', {
        get: () => {
          isDoubted = true;
          throw new IncompleteBlockError('transaction 0 could not be read');
        },
      });
    world.chain.endpoints = [
      {
        label: 'one',
        tell: (block, options) =>
          parts.has(block.hash) && !isDoubted ? lazy(block) : blind.tell(block, options),
      },
    ];
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await isWaiting();
    await passLimit(world);
    await world.settle();
    const hashes = [...one.transactions, ...two.transactions].map(
      ({ hash }) => `transaction.detected ${hash}`,
    );
    expect(await types()).toEqual(hashes);
    expect(await incidents(world)).toMatchObject([
      { kind: KIND, status: 'open', transaction_hash: one.transactions[0]!.hash },
    ]);
  });

  it('waits its limit, over a restart as well, and is taken as far as it is understood', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = makeUnknown(undefined, '1');
    const [strange, plain] = one.transactions;
    world.startAnalyzer();
    await world.feedBlocks(one);
    await isWaiting();
    await waitFor(async () => (await cursor())?.status === 'stalled');
    expect((await cursor())!.reason).toMatch(
      /^block 1 0x\w+ cannot be read: it holds what this release does not know \(transaction-type:0x7d\)/,
    );
    const [seen] = await world.rows<{ created_at: Date }>('SELECT created_at FROM incidents');
    await world.stopAnalyzer();
    world.startAnalyzer();
    await waitFor(async () => (await cursor())?.status === 'stalled');
    expect(await world.rows('SELECT created_at FROM incidents')).toEqual([seen]);
    await passLimit(world);
    await world.settle();
    expect(await incidents(world)).toEqual([
      {
        kind: KIND,
        status: 'open',
        block_number: 1,
        last_block_number: 1,
        transaction_hash: strange!.hash,
        is_contradicted: false,
      },
    ]);
    expect(await types()).toEqual([
      `transaction.detected ${strange!.hash}`,
      `transaction.detected ${plain!.hash}`,
    ]);
    const payloads = (await world.events()).map(
      ({ payload }) =>
        EVENT_SCHEMAS['transaction.detected'].parse(JSON.parse(payload)).data.transaction.verification,
    );
    expect(payloads).toEqual(['unproved', 'proved']);
    // The kind has waited: the next one does not.
    const two = makeUnknown(one, '2');
    await world.feedBlocks(two);
    await world.settle();
    expect(await incidents(world)).toMatchObject([{ block_number: 1, last_block_number: 2 }]);
  });

  it('is not taken without every kind in it having waited', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = makeUnknown(undefined, '1');
    const two = makeUnknown(one, '2');
    parts.set(two.hash, [...parts.get(two.hash)!, partOf('header-field:settledHeight')]);
    world.startAnalyzer();
    await world.feedBlocks(one);
    await isWaiting();
    await passLimit(world);
    await world.settle();
    await world.feedBlocks(two);
    await isWaiting();
    expect((await cursor())!.cursor_seq).toBe(1);
    await passLimit(world);
    await world.settle();
    expect(await incidents(world)).toMatchObject([
      { kind: KIND, block_number: 1, last_block_number: 2 },
      { kind: 'header-field:settledHeight', block_number: 2, last_block_number: 2, transaction_hash: null },
    ]);
  });

  it('is read like any other where a second endpoint knows it', async () => {
    world.chain.endpoints = [makeBlind('one', parts), { label: 'two', tell: (block) => block }];
    world.startAnalyzer();
    await world.feedBlocks(makeUnknown(undefined, '1'));
    await world.settle();
    expect(await incidents(world)).toEqual([]);
    expect(await transactions(world)).toMatchObject([{ is_unproved: false }, { is_unproved: false }]);
  });

  it('is proved when the endpoint that knows it comes back, and nobody has to look at the incident', async () => {
    let isAway = true;
    const knowing = {
      label: 'two',
      tell: (block: Block): Block => {
        if (isAway) throw new BlockNotFoundError('away');
        return block;
      },
    };
    world.chain.endpoints = [makeBlind('one', parts), knowing];
    const one = makeUnknown(undefined, '1');
    world.startAnalyzer();
    await world.feedBlocks(one);
    await isWaiting();
    isAway = false;
    await world.settle();
    await waitFor(async () => (await incidents(world))[0]!.status === 'resolved', {
      message: 'the incident to be closed',
    });
    expect(await transactions(world)).toMatchObject([
      { is_unproved: false, is_withheld: false },
      { is_unproved: false },
    ]);
  });

  it.each([
    ['missing receipts', new IncompleteBlockError('expected 2 receipts, got 1')],
    ['a pruned block', new BlockNotFoundError('pruned')],
  ])('waits for ever where it has %s, whatever limit is over', async (_name, error) => {
    let isBroken = true;
    const blind = makeBlind('one', parts);
    world.chain.endpoints = [
      {
        label: 'one',
        tell: (block, options) => {
          if (isBroken && options?.takeUnknown === true) throw error;
          return blind.tell(block, options);
        },
      },
    ];
    world.startAnalyzer();
    await world.feedBlocks(makeUnknown(undefined, '1'));
    await isWaiting();
    await passLimit(world);
    const reads = world.chain.reads;
    await waitFor(() => world.chain.reads > reads + 6, { message: 'more tries' });
    expect((await cursor())!.cursor_seq).toBe(0);
    isBroken = false;
    await world.settle();
    expect(await transactions(world)).toMatchObject([{ is_unproved: true }, { is_unproved: false }]);
  });

  it('is taken from the endpoint that has it whole', async () => {
    const blind = makeBlind('two', parts);
    world.chain.endpoints = [
      {
        label: 'one',
        tell: () => {
          throw new IncompleteBlockError('expected 2 receipts, got 1');
        },
      },
      blind,
    ];
    world.startAnalyzer();
    await world.feedBlocks(makeUnknown(undefined, '1'));
    await isWaiting();
    await passLimit(world);
    await world.settle();
    expect(await world.rows('SELECT endpoint FROM unproved_transactions')).toEqual([{ endpoint: 'two' }]);
  });
});

describe('an unproved transaction', () => {
  /** Block 1 is taken with what is unknown, and final. */
  const takeFinal = async (): Promise<{ one: Block; strange: string; plain: string }> => {
    const one = makeUnknown(undefined, '1');
    world.startAnalyzer();
    await world.feedBlocks(one);
    await isWaiting();
    await passLimit(world);
    await world.feedFinalize(one);
    await world.settle();
    return { one, strange: one.transactions[0]!.hash, plain: one.transactions[1]!.hash };
  };
  const confirmed = async () =>
    (await types())
      .filter((each) => each.startsWith('transaction.confirmed'))
      .map((each) => each.split(' ')[1]);

  it('is confirmed when a second endpoint tells the same of its final block, once', async () => {
    world.chain.endpoints = [makeBlind('one', parts), makeBlind('two', parts)];
    const { strange, plain, one } = await takeFinal();
    await waitFor(async () => (await confirmed()).length === 2, { message: 'the confirmation' });
    expect(await confirmed()).toEqual(expect.arrayContaining([strange, plain]));
    expect(await transactions(world)).toEqual([
      { hash: strange, status: 'confirmed', is_unproved: true, is_withheld: false },
      { hash: plain, status: 'confirmed', is_unproved: false, is_withheld: false },
    ]);
    const two = world.chain.make(one);
    await world.feedBlocks(two);
    await world.feedFinalize(two);
    await world.settle();
    expect((await world.events()).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  it('is not confirmed before its block is final, whoever agrees', async () => {
    world.chain.endpoints = [makeBlind('one', parts), makeBlind('two', parts)];
    const one = makeUnknown(undefined, '1');
    world.startAnalyzer();
    await world.feedBlocks(one);
    await isWaiting();
    await passLimit(world);
    await world.settle();
    await accept(world);
    await waitFor(async () =>
      (await transactions(world)).every((each) => !(each as unknown as { is_withheld: boolean }).is_withheld),
    );
    expect(await confirmed()).toEqual([]);
    await world.feedFinalize(one);
    await world.settle();
    expect(await confirmed()).toEqual(one.transactions.map(({ hash }) => hash));
  });

  it('stays unconfirmed where a second endpoint tells something else, until the operator accepts', async () => {
    const lie = (block: Block): Block => withMore(block.transactions[0]!.hash)(block);
    world.chain.endpoints = [
      makeBlind('liar', parts, lie),
      makeBlind('two', parts),
      makeBlind('three', parts, lie),
    ];
    const { strange, plain } = await takeFinal();
    await waitFor(
      async () => (await world.rows('SELECT FROM incidents WHERE is_contradicted')).length === 1,
      { message: 'the contradiction' },
    );
    expect(await confirmed()).toEqual([plain]);
    expect(await transactions(world)).toMatchObject([
      { hash: strange, status: 'detected', is_withheld: true },
      { status: 'confirmed' },
    ]);
    await accept(world);
    await waitFor(async () => (await confirmed()).length === 2, { message: 'the confirmation' });
    expect(await confirmed()).toEqual([plain, strange]);
  });

  it('waits for the operator where there is one endpoint; what is accepted says nothing of later blocks', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const { strange, plain, one } = await takeFinal();
    expect(await confirmed()).toEqual([plain]);
    await accept(world);
    await waitFor(async () => (await confirmed()).length === 2, { message: 'the confirmation' });
    expect(await confirmed()).toEqual([plain, strange]);
    // At once, and yet not on the word of the earlier decision.
    const two = makeUnknown(one, '2');
    await world.feedBlocks(two);
    await world.feedFinalize(two);
    await world.settle();
    expect(await incidents(world)).toMatchObject([
      { status: 'accepted', block_number: 1, last_block_number: 1 },
      { status: 'open', block_number: 2, last_block_number: 2 },
    ]);
    expect(await confirmed()).toHaveLength(3);
    expect(await transactions(world)).toMatchObject([
      {},
      {},
      { status: 'detected', is_withheld: true },
      { status: 'confirmed' },
    ]);
  });

  it('is taken at once, and stood for, when the operator accepts the incident that its block waits with', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = makeUnknown(undefined, '1');
    world.startAnalyzer();
    await world.feedBlocks(one);
    await isWaiting();
    await accept(world);
    await world.feedFinalize(one);
    await world.settle();
    await waitFor(async () => (await confirmed()).length === 2, { message: 'the confirmation' });
    expect(await incidents(world)).toMatchObject([{ status: 'accepted', last_block_number: 1 }]);
  });

  it('is forgotten with its block, and starts again in another one', async () => {
    world.chain.endpoints = [makeBlind('one', parts), makeBlind('two', parts)];
    const one = makeUnknown(undefined, '1');
    const [strange, plain] = one.transactions;
    const other = world.chain.make(undefined, { transactions: [strange!] }, 'other');
    world.startAnalyzer();
    await world.feedBlocks(one);
    await isWaiting();
    await passLimit(world);
    await world.settle();
    await world.feedReorg([one]);
    await world.feedBlocks(other);
    await world.feedFinalize(other);
    await world.settle();
    expect(await world.rows('SELECT FROM unproved_transactions')).toEqual([]);
    expect(await transactions(world)).toEqual(
      expect.arrayContaining([
        { hash: strange!.hash, status: 'confirmed', is_unproved: false, is_withheld: false },
        { hash: plain!.hash, status: 'reorged', is_unproved: false, is_withheld: false },
      ]),
    );
  });
});
