// SPDX-License-Identifier: Apache-2.0
import type { PoolClient } from 'pg';
import type { BalanceQuery, BlockRef } from '@chainwatch/chain-core';
import type { PostgresHandle } from '@chainwatch/testing';
import { NATIVE, startPostgres } from '@chainwatch/data/testing';
import type { BalanceReader } from '../read/balance-reader.ts';
import { BalanceRound } from '../round/balance-round.ts';
import { StepWorld, type SpecAddress } from '../spec-world/spec-step-world.ts';
import { storeOn } from '../spec-world/spec-store.ts';
import { runBalanceStep } from './balance-step.ts';

const addressOf = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`;
/** Behind the 40 blocks after which transactions that waited have been mined or are forgotten. */
const LATER = 41;

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** As nodes of TRON answer: their state has what waits for a block. */
describe('balances of a node whose state has transactions that wait for a block', () => {
  let world: StepWorld;
  let session: PoolClient;
  let watched: SpecAddress;
  /** What they take from the address. */
  let waiting: bigint;
  beforeEach(async () => {
    world = await StepWorld.start(postgres);
    session = await world.db.pool.connect();
    watched = await world.watch(await world.addProject(), addressOf(1));
    waiting = 0n;
    await world.advance([receive(1_000n)]);
    await work();
  });
  afterEach(async () => {
    session.release();
    await world.stop();
  });

  const receive = (amount: bigint) => ({
    ...{ assetGid: NATIVE, from: addressOf(9), to: watched.address, amount },
  });
  const spend = (amount: bigint) => ({
    ...{ assetGid: NATIVE, from: watched.address, to: addressOf(9), amount },
  });
  const { signal } = new AbortController();
  function reader(): BalanceReader {
    const client = world.chain.client();
    return {
      network: client.network,
      tellsHeadOnly: true,
      readBalances: async (at: BlockRef, queries: readonly BalanceQuery[]) =>
        (await client.readBalances(at, queries)).map((amount) => (amount ?? 0n) - waiting),
      close: () => undefined,
    };
  }
  const of = () => ({ store: storeOn(session), client: reader(), clock: () => new Date(), signal });
  async function work(hasRounds = true): Promise<void> {
    while ((await world.countWork()) > 0) await runBalanceStep({ ...of(), hasRounds });
  }
  /** Second readings alone: rounds rest. */
  async function runRound(): Promise<void> {
    const round = new BalanceRound({
      ...{ ...of(), callsPerSecond: 1_000, intervalMs: 0, publish: () => undefined },
      onFailure: (error) => {
        throw error;
      },
    });
    for (let piece = 0; piece < 6; piece += 1) await round.step();
  }
  const told = async () =>
    (await world.events()).map(({ data }) => [
      data.current_raw,
      data.changes?.map(({ reason, amount_raw: amount }) => [reason, amount]),
    ]);
  const doubts = () =>
    world.rows<{ amount: string }>('SELECT amount_raw::text AS amount FROM balance_differences');

  it('are told as blocks explain them, and never as an adjustment of what was mined next', async () => {
    waiting = 30n;
    await world.advance([receive(500n)]);
    await work();
    expect(await world.balanceOf(watched, NATIVE)).toBe(1_500n);
    expect(await doubts()).toEqual([{ amount: '-30' }]);
    waiting = 0n;
    await world.advance([spend(30n)]);
    await work();
    for (let block = 0; block < LATER; block += 1) await world.advance();
    await runRound();
    expect(await told()).toEqual([
      ['1000', [['transfer', '1000']]],
      ['1500', [['transfer', '500']]],
      ['1470', [['transfer', '-30']]],
    ]);
    expect(await doubts()).toEqual([]);
    expect(await world.adjustmentsOf(watched, NATIVE)).toEqual([]);
  });

  it('show what stays unexplained once a later reading gives it too', async () => {
    await world.advance([receive(500n)], [{ address: watched.address, assetGid: NATIVE, delta: 7n }]);
    await work();
    await runRound();
    expect(await world.balanceOf(watched, NATIVE)).toBe(1_500n);
    for (let block = 0; block < LATER; block += 1) await world.advance();
    await runRound();
    expect(await world.balanceOf(watched, NATIVE)).toBe(1_507n);
    expect((await told()).at(-1)).toEqual(['1507', [['adjustment', '7']]]);
  });

  it.each([
    ['came', -50n],
    ['went', 50n],
  ])('are right again in the block of what %s right after the first reading', async (_, effect) => {
    const other = await world.watch(await world.addProject(), addressOf(2));
    await world.advance([{ assetGid: NATIVE, from: addressOf(9), to: other.address, amount: 100n }]);
    waiting = effect;
    await work();
    expect(await world.balanceOf(other, NATIVE)).toBe(100n - effect);
    waiting = 0n;
    const [from, to] = effect < 0n ? [addressOf(9), other.address] : [other.address, addressOf(9)];
    await world.advance([{ assetGid: NATIVE, from, to, amount: 50n }]);
    await work();
    expect(await world.balanceOf(other, NATIVE)).toBe(100n - effect);
    for (let block = 0; block < LATER; block += 1) await world.advance();
    await runRound();
    expect(await world.balanceOf(other, NATIVE)).toBe(100n - effect);
    expect(await doubts()).toEqual([]);
  });

  it('follow what never stops growing unexplained, such as fees that a node does not tell', async () => {
    let fees = 0n;
    for (let block = 1; block <= 300; block += 1) {
      const isSpent = block % 30 === 0;
      if (isSpent) fees += 27n;
      await world.advance(
        isSpent ? [spend(1n)] : [],
        isSpent ? [{ address: watched.address, assetGid: NATIVE, delta: -27n }] : [],
      );
      await work();
      if (block % 20 === 0) await runRound();
    }
    expect(await world.adjustmentsOf(watched, NATIVE)).not.toEqual([]);
    for (let reading = 0; reading < 2; reading += 1) {
      for (let block = 0; block < LATER; block += 1) await world.advance();
      await runRound();
    }
    expect(fees).toBe(270n);
    expect(await world.balanceOf(watched, NATIVE)).toBe(1_000n - 10n - 270n);
  });

  it('tell nothing of two payments that wait at two readings, however long ago nothing was different', async () => {
    await world.confirm(world.tip);
    await runRound();
    for (let block = 0; block < 5 * LATER; block += 1) await world.advance();
    waiting = 7n;
    await runRound();
    expect(await doubts()).toEqual([{ amount: '-7' }]);
    waiting = 0n;
    await world.advance([spend(7n)]);
    await work();
    for (let block = 0; block < LATER; block += 1) await world.advance();
    waiting = 3n;
    await runRound();
    expect(await world.adjustmentsOf(watched, NATIVE)).toEqual([]);
    expect(await world.balanceOf(watched, NATIVE)).toBe(993n);
    waiting = 0n;
    await world.advance([spend(3n)]);
    await work();
    expect(await world.adjustmentsOf(watched, NATIVE)).toEqual([]);
    expect(await world.balanceOf(watched, NATIVE)).toBe(990n);
  });

  it('say when a difference began, whatever waits at a reading in between', async () => {
    await world.confirm(world.tip);
    await runRound();
    const { number: before } = world.tip;
    await world.advance([], [{ address: watched.address, assetGid: NATIVE, delta: 5n }]);
    await runRound();
    expect(await doubts()).toEqual([{ amount: '5' }]);
    for (let block = 0; block < LATER; block += 1) await world.advance();
    waiting = 30n;
    await runRound();
    expect(await doubts()).toEqual([{ amount: '-25' }]);
    waiting = 0n;
    for (let reading = 0; reading < 2; reading += 1) {
      for (let block = 0; block < LATER; block += 1) await world.advance();
      await runRound();
    }
    expect((await world.events()).at(-1)!.data.changes).toEqual([
      expect.objectContaining({ reason: 'adjustment', amount_raw: '5' }),
    ]);
    expect((await world.events()).at(-1)!.data.changes![0]!.since_block).toBeLessThanOrEqual(before);
  });

  it('are told at once where there are no rounds to read them again', async () => {
    waiting = 30n;
    await world.advance([receive(500n)]);
    await work(false);
    expect(await world.balanceOf(watched, NATIVE)).toBe(1_470n);
  });

  it('are never below zero', async () => {
    waiting = 30n;
    await world.advance([spend(1_200n), receive(300n)]);
    await work();
    expect((await world.balanceOf(watched, NATIVE))!).toBeGreaterThanOrEqual(0n);
  });
});
