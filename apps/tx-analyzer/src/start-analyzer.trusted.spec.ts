// SPDX-License-Identifier: Apache-2.0
import type { Block, UnknownPart } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { TurnCounter } from './spec-world/spec-turns.ts';
import { accept, incidents, makeBlind, partOf, passLimit, withMore } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let incidentLoop: TurnCounter;
/** What the decoders of this release do not know, by block hash. */
let parts: Map<string, readonly UnknownPart[]>;

const DAY_MS = 86_400_000;
const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres, { unknownWaitMs: DAY_MS / 2 });
  await world.watch(await world.addProject(), ALICE);
  parts = new Map();
  incidentLoop = new TurnCounter('find_releasable');
});
afterEach(() => world.stop());

/** A block with one payment of a kind that nobody knows. */
function makeUnknown(parent: Block | undefined, name: string): { block: Block; hash: string } {
  const payment = makeTransaction(name, {
    from: BOB,
    to: ALICE,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: BOB },
    transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: BOB, to: ALICE, amountRaw: 5n }],
  });
  const block = world.chain.make(parent, { transactions: [payment] });
  parts.set(block.hash, [partOf('transaction-type:0x7d', payment.hash)]);
  return { block, hash: payment.hash };
}

/** A kind waits its limit once per chain; an incident of a later block opens while the first one is closed. */
async function takeFinal({ block }: { block: Block }): Promise<void> {
  await world.feedBlocks(block);
  if ((await incidents(world)).length === 0) {
    await waitFor(async () => (await incidents(world)).length > 0, { message: 'the incident' });
    await passLimit(world);
  }
  await world.feedFinalize(block);
  await world.settle();
}

const set = (unproved: 'hold' | 'deliver') =>
  world.db.query('UPDATE blockchains SET unproved = $1', [unproved]);

/** `<hash> <verification>` of each confirmation, as its event says. */
const confirmations = async (): Promise<string[]> =>
  (await world.events())
    .filter(({ type }) => type === 'transaction.confirmed')
    .map(({ payload }) => {
      const { data } = EVENT_SCHEMAS['transaction.confirmed'].parse(JSON.parse(payload));
      return `${data.transaction.hash} ${data.transaction.verification}`;
    });
const untilConfirmed = (count: number) =>
  waitFor(async () => (await confirmations()).length === count, { message: `${count} confirmations` });
const records = () =>
  world.rows<{ hash: string; status: string; verification: string; is_withheld: boolean }>(
    'SELECT hash, status, verification, is_withheld FROM transactions ORDER BY block_number',
  );
/** The analyzer looked at incidents again, after `change`. */
async function afterLook(change: () => Promise<unknown>): Promise<void> {
  await change();
  await incidentLoop.turn();
}

describe('what cannot be proved, on a chain whose operator delivers it', () => {
  it('is confirmed once it is final, as trusted in event and record; its incident stays open', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    await set('deliver');
    world.startAnalyzer(incidentLoop);
    const { block, hash } = makeUnknown(undefined, '1');
    await world.feedBlocks(block);
    await waitFor(async () => (await incidents(world)).length > 0, { message: 'the incident' });
    await passLimit(world);
    await afterLook(() => world.settle());
    expect(await confirmations()).toEqual([]);
    expect(await records()).toMatchObject([{ hash, status: 'detected', verification: 'unproved' }]);
    await world.feedFinalize(block);
    await untilConfirmed(1);
    expect(await confirmations()).toEqual([`${hash} trusted`]);
    expect(await records()).toEqual([
      { hash, status: 'confirmed', verification: 'trusted', is_withheld: false },
    ]);
    expect(await incidents(world)).toMatchObject([{ status: 'open', is_contradicted: false }]);
  });

  it('is released when the operator decides so later, and held again after the next decision', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    world.startAnalyzer(incidentLoop);
    const one = makeUnknown(undefined, '1');
    await takeFinal(one);
    await afterLook(() => set('hold'));
    expect(await confirmations()).toEqual([]);
    await set('deliver');
    await untilConfirmed(1);
    await set('hold');
    const two = makeUnknown(one.block, '2');
    await afterLook(() => takeFinal(two));
    expect(await confirmations()).toEqual([`${one.hash} trusted`]);
    expect(await records()).toMatchObject([
      { hash: one.hash, status: 'confirmed', verification: 'trusted' },
      { hash: two.hash, status: 'detected', verification: 'unproved', is_withheld: true },
    ]);
    expect((await world.events()).map(({ type }) => type)).toEqual([
      'transaction.detected',
      'transaction.confirmed',
      'transaction.detected',
    ]);
  });

  it.each([
    ['contradicts it: it stays withheld', true, []],
    ['gives the same: it is agreed, which says more than trusted', false, ['agreed']],
  ])('asks every other endpoint first; one %s', async (_what, isLie, verifications) => {
    const lie = (block: Block): Block => withMore(block.transactions[0]!.hash)(block);
    world.chain.endpoints = [makeBlind('one', parts, isLie ? lie : undefined), makeBlind('two', parts)];
    await set('deliver');
    world.startAnalyzer(incidentLoop);
    const { block, hash } = makeUnknown(undefined, '1');
    await takeFinal({ block });
    await waitFor(
      async () =>
        (await world.rows(`SELECT FROM unproved_transactions WHERE verdict <> 'waiting'`)).length > 0,
      { message: 'the verdict' },
    );
    await afterLook(() => Promise.resolve());
    expect(await confirmations()).toEqual(verifications.map((verification) => `${hash} ${verification}`));
  });

  it('stays withheld where another endpoint has contradicted it', async () => {
    const lie = (block: Block): Block => withMore(block.transactions[0]!.hash)(block);
    world.chain.endpoints = [makeBlind('liar', parts, lie), makeBlind('two', parts)];
    world.startAnalyzer(incidentLoop);
    const { block, hash } = makeUnknown(undefined, '1');
    await takeFinal({ block });
    const contradicted = () => world.rows('SELECT FROM incidents WHERE is_contradicted');
    await waitFor(async () => (await contradicted()).length === 1, { message: 'the contradiction' });
    await afterLook(() => set('deliver'));
    expect(await confirmations()).toEqual([]);
    expect(await records()).toMatchObject([{ hash, status: 'detected', is_withheld: true }]);
    await accept(world);
    await untilConfirmed(1);
    expect(await confirmations()).toEqual([`${hash} trusted`]);
  });
});

describe('what cannot be proved, on a chain whose operator holds it', () => {
  it.each([
    ['trusted', 'the operator accepts its incident', ['one']],
    ['agreed', 'a second endpoint gives the same', ['one', 'two']],
  ])('is %s when %s', async (verification, _when, labels) => {
    world.chain.endpoints = labels.map((label) => makeBlind(label, parts));
    world.startAnalyzer(incidentLoop);
    const { block, hash } = makeUnknown(undefined, '1');
    await takeFinal({ block });
    if (labels.length === 1) await accept(world);
    await untilConfirmed(1);
    expect(await confirmations()).toEqual([`${hash} ${verification}`]);
    expect(await records()).toEqual([{ hash, status: 'confirmed', verification, is_withheld: false }]);
    const [status] = (await incidents(world)).map((incident) => incident.status);
    expect(status).toBe(labels.length === 1 ? 'accepted' : 'open');
  });
});
