// SPDX-License-Identifier: Apache-2.0
import type { PoolClient } from 'pg';
import { BlockNotFoundError, ChainClientError, type BalanceQuery } from '@chainwatch/chain-core';
import type { PostgresHandle } from '@chainwatch/testing';
import { NATIVE, network, startPostgres, TOKEN } from '@chainwatch/data/testing';
import { runBalanceStep } from '../chain/balance-step.ts';
import type { BalanceReader } from '../read/balance-reader.ts';
import { StepWorld, type SpecAddress } from '../spec-world/spec-step-world.ts';
import { storeOn } from '../spec-world/spec-store.ts';
import { BalanceRound } from './balance-round.ts';

const addressOf = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`;

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe('BalanceRound', () => {
  let world: StepWorld;
  let session: PoolClient;
  let watched: SpecAddress;
  let projectId: string;
  const failures: unknown[] = [];
  let nowMs = 0;
  beforeEach(async () => {
    world = await StepWorld.start(postgres);
    session = await world.db.pool.connect();
    projectId = await world.addProject();
    watched = await world.watch(projectId, addressOf(1));
    await work();
    failures.length = 0;
  });
  afterEach(async () => {
    session.release();
    await world.stop();
  });

  async function work(): Promise<void> {
    while ((await world.countWork()) > 0)
      await runBalanceStep({ store: storeOn(session), client: reader(), clock: () => new Date(), signal });
  }

  const { signal } = new AbortController();
  function reader(change: Partial<BalanceReader> = {}): BalanceReader {
    const client = world.chain.client();
    return { network: client.network, readBalances: client.readBalances, close: () => undefined, ...change };
  }
  function create(client: BalanceReader, callsPerSecond = 1_000): BalanceRound {
    const onFailure = (error: unknown): void => void failures.push(error);
    const options = {
      callsPerSecond,
      intervalMs: 0,
      clock: () => new Date(),
      signal,
      elapsedMs: () => nowMs,
    };
    return new BalanceRound({
      ...options,
      store: storeOn(session),
      client,
      publish: () => undefined,
      onFailure,
    });
  }
  /** Some pieces, whatever waits lie between. */
  async function run(round: BalanceRound, pieces = 6): Promise<void> {
    for (let piece = 0; piece < pieces; piece += 1) nowMs += await round.step();
  }
  const drift = (assetGid: string, delta: bigint) => ({ address: watched.address, assetGid, delta });

  it('tells a difference once another block shows it too, between the readings it lies between', async () => {
    const { number: before } = await world.advance();
    await world.confirm(world.tip);
    const round = create(reader());
    await run(round);
    await world.advance([], [drift(NATIVE, 5n)]);
    await run(round);
    expect(await world.events()).toEqual([]);
    await world.advance();
    await run(round);
    const [event, ...others] = await world.events();
    expect(others).toEqual([]);
    expect(event!.data.changes).toEqual([
      {
        ...{ reason: 'adjustment', amount: '0.000000000000000005', amount_raw: '5' },
        ...{ since_block: expect.any(Number) as number, until_block: before + 2 },
      },
    ]);
    expect(event!.data.changes![0]!.since_block).toBeLessThanOrEqual(before);
    expect(await world.adjustmentsOf(watched, NATIVE)).toEqual([5n]);
  });

  it('asks another endpoint the second time, and tells nothing that it does not see', async () => {
    const lying = async (at: { number: number; hash: string }, queries: readonly BalanceQuery[]) =>
      (await world.chain.client().readBalances(at, queries)).map((amount) => (amount ?? 0n) + 7n);
    let seconds = 0;
    const round = create(
      reader({
        readBalances: lying,
        readBalancesElsewhere: (at, queries) => {
          seconds += 1;
          return world.chain.client().readBalances(at, queries);
        },
      }),
    );
    for (let block = 0; block < 4; block += 1) {
      await world.advance();
      await run(round);
    }
    expect(seconds).toBeGreaterThan(1);
    expect(await world.events()).toEqual([]);
    expect(await world.rows('SELECT FROM adjustments')).toEqual([]);
  });

  it('finds an asset of the project that was never seen on the address', async () => {
    await world.db.query(
      `INSERT INTO project_assets (project_id, asset_gid, chain_gid, namespace, reference, type, status)
       SELECT $1, gid, chain_gid, namespace, reference, type, status FROM assets WHERE gid = $2`,
      [projectId, TOKEN],
    );
    await world.advance([], [drift(TOKEN, 2n)]);
    const round = create(reader());
    await run(round);
    await world.advance();
    await run(round);
    expect((await world.events()).map(({ data }) => [data.asset_gid, data.previous, data.current])).toEqual([
      [TOKEN, null, '0.000002'],
    ]);
  });

  it.each([
    ['archived', `UPDATE project_assets SET archived_at = now()`],
    ['a collection', `UPDATE assets SET type = 'nft' WHERE namespace = 'erc20'`],
    ['of an address that is not monitored', 'UPDATE addresses SET is_monitored = false'],
  ])('asks for nothing that is %s', async (_, sql) => {
    await world.db.query(
      `INSERT INTO project_assets (project_id, asset_gid, chain_gid, namespace, reference, type, status)
       SELECT $1, gid, chain_gid, namespace, reference, type, status FROM assets WHERE gid = $2`,
      [projectId, TOKEN],
    );
    await world.db.query(sql);
    world.chain.asked.length = 0;
    await run(create(reader()));
    expect(
      world.chain.asked.flatMap(({ queries }) => queries).filter(({ assetGid }) => assetGid === TOKEN),
    ).toEqual([]);
  });

  it('reads an address in parts where the head of its node moves before all is read', async () => {
    await world.db.query(
      `INSERT INTO project_assets (project_id, asset_gid, chain_gid, namespace, reference, type, status)
       SELECT $1, gid, chain_gid, namespace, reference, type, status FROM assets WHERE gid <> $2`,
      [projectId, NATIVE],
    );
    const counts: number[] = [];
    const { readBalances } = world.chain.client();
    const round = create(
      reader({
        tellsHeadOnly: true,
        countBalanceRequests: (queries) => queries.length,
        readBalances: (at, queries) => {
          counts.push(queries.length);
          if (queries.length > 1) throw new BlockNotFoundError('the head has moved');
          return readBalances(at, queries);
        },
      }),
    );
    await world.advance([], [drift(TOKEN, 2n)]);
    await run(round, 40);
    expect(Math.max(...counts)).toBeGreaterThan(1);
    expect(
      await world.rows('SELECT FROM balance_rounds WHERE ended_at IS NOT NULL OR previous_at IS NOT NULL'),
    ).toHaveLength(1);
    expect(await world.rows('SELECT amount_raw::text AS amount FROM balance_differences')).toEqual([
      { amount: '2' },
    ]);
    expect(failures).toEqual([]);
  });

  it('knows since when an address has been read that is older than its chain', async () => {
    await world.db.query('DELETE FROM address_watches');
    const { number: before } = await world.advance();
    await world.confirm(world.tip);
    const round = create(reader());
    for (let count = 0; count < 3; count += 1) {
      await world.advance();
      await world.confirm(world.tip);
      await run(round);
    }
    await world.advance([], [drift(NATIVE, 5n)]);
    await run(round);
    const [row] = await world.rows<{ since: number }>(
      'SELECT since_number AS since FROM balance_differences WHERE address_id = $1',
      [watched.id],
    );
    expect(row!.since).toBeGreaterThan(before);
  });

  it('is as old as its first round where none has ended', async () => {
    const round = create(
      reader({
        readBalances: () => {
          throw new BlockNotFoundError('the head has moved');
        },
      }),
    );
    await run(round);
    await world.db.query(`UPDATE balance_rounds SET started_at = now() - interval '1 hour'`);
    nowMs += 10_000;
    await round.lookAtAge();
    expect(round.ageSeconds).toBeGreaterThanOrEqual(3_600);
  });

  it('sets aside and names what keeps a node from answering, and reads the others', async () => {
    const others = [await world.watch(projectId, addressOf(2)), await world.watch(projectId, addressOf(3))];
    await work();
    await world.db.query(
      `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, $3, 0, 100, 'x')`,
      [watched.id, TOKEN, network.gid],
    );
    const round = create(
      reader({
        readBalances: (at, queries) =>
          queries.some(({ assetGid, address }) => assetGid === TOKEN && address === watched.address)
            ? Promise.reject(new ChainClientError('execution timeout'))
            : world.chain.client().readBalances(at, queries),
      }),
    );
    for (const delta of [4n, 0n]) {
      await world.advance([], [{ address: others[1]!.address, assetGid: NATIVE, delta }]);
      await run(round, 12);
    }
    expect(failures.length).toBeGreaterThan(0);
    expect(await world.rows('SELECT kind, asset_gid, address_id FROM incidents')).toEqual([
      { kind: 'poison:balances', asset_gid: TOKEN, address_id: watched.id },
    ]);
    expect(await world.adjustmentsOf(others[1]!, NATIVE)).toEqual([4n]);
  });

  it('keeps to its budget: a large piece is paid for before the next one', async () => {
    for (let index = 2; index < 30; index += 1) await world.watch(projectId, addressOf(index));
    await work();
    let requests = 0;
    const round = create(
      reader({
        countBalanceRequests: (queries) => queries.length,
        readBalances: (at, queries) => {
          requests += queries.length;
          return world.chain.client().readBalances(at, queries);
        },
      }),
      10,
    );
    // A second's worth at once, and another one on credit: the next one is due when that is paid for.
    expect([await round.step(), requests]).toEqual([0, 10]);
    expect([await round.step(), requests]).toEqual([0, 20]);
    expect([await round.step(), requests]).toEqual([1_000, 20]);
    nowMs += 999;
    expect([await round.step(), requests]).toEqual([1, 20]);
    nowMs += 1;
    expect([await round.step(), requests]).toEqual([0, 29]);
  });

  it('reads nothing where it is switched off, and of sums of coins only what is corrected', async () => {
    world.chain.asked.length = 0;
    expect(await create(reader(), 0).step()).toBe(Infinity);
    expect(await create(reader({ verification: 'proved' })).step()).toBe(1_000);
    expect(await create(reader({ verification: 'proved' }), 0).step()).toBe(1_000);
    expect(world.chain.asked).toEqual([]);
  });
});
