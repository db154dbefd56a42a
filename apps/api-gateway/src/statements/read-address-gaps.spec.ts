// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import {
  CHAIN,
  ETHER,
  linesOf,
  makeStatement,
  parseLines,
  startSpecWorker,
  StatementLedger,
  STRANGER,
  timeOf,
  type SpecWorker,
} from '../spec-support/statement-ledger.ts';
import type { GapLine, StatementLine } from './statement-lines.ts';

const PERIOD = { from: timeOf(10), to: timeOf(30) };

let world: SpecWorld;
let ledger: StatementLedger;
let worker: SpecWorker;
beforeAll(async () => {
  world = await startSpecWorld();
  ledger = new StatementLedger(world);
  await ledger.addChain(40);
  await ledger.addAsset(ETHER, 'native');
  worker = startSpecWorker(world);
});
afterAll(async () => {
  await worker.stop();
  await world.stop();
});
afterEach(() => world.db.query('DELETE FROM ingestor_states'));

const state = async (address: string): Promise<StatementLine[]> =>
  parseLines((await makeStatement(world.api, { addresses: [address], ...PERIOD })).text);

const ranges = (lines: readonly StatementLine[], kind: GapLine['kind']): unknown[] =>
  linesOf(lines, 'gap')
    .filter((gap) => gap.kind === kind)
    .map((gap) => [gap.from_block, gap.to_block]);

/** The chain is followed from block `start` on, and its head is `head`. */
const follow = (head: number, start = 0): Promise<unknown> =>
  world.db.query(
    `INSERT INTO ingestor_states (chain_gid, start_number, head_number) VALUES ($1, $2, $3)
     ON CONFLICT (chain_gid) DO UPDATE SET head_number = excluded.head_number`,
    [CHAIN, start, head],
  );

const addHistory = (id: string, status: string, [from, next]: readonly [number, number]): Promise<unknown> =>
  world.db.query(
    `INSERT INTO address_histories (address_id, chain_gid, project_id, status, from_block, next_block)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, CHAIN, world.project.projectId, status, from, next],
  );

it('declares when an address was not watched, and which history is not covered', async () => {
  const mine = await ledger.addAddress(world.api);
  await world.db.query('UPDATE address_watches SET from_block = 25 WHERE address_id = $1', [mine.id]);
  expect(ranges(await state(mine.address), 'not_watched')).toEqual([[10, 24]]);
  await world.db.query(
    `INSERT INTO address_histories (address_id, chain_gid, project_id, status, from_block, next_block, to_block, not_covered)
     VALUES ($1, $2, $3, 'complete', 12, 25, 24, '[{"from_block": 14, "to_block": 16}]')`,
    [mine.id, CHAIN, world.project.projectId],
  );
  const complete = await state(mine.address);
  expect(ranges(complete, 'not_watched')).toEqual([[10, 11]]);
  expect(ranges(complete, 'history_not_covered')).toEqual([[14, 16]]);
  expect(ranges(complete, 'history_incomplete')).toEqual([]);
  await world.db.query(
    `UPDATE address_histories SET status = 'running', next_block = 20 WHERE address_id = $1`,
    [mine.id],
  );
  expect(ranges(await state(mine.address), 'history_incomplete')).toEqual([[20, 24]]);
  await world.db.query(
    `INSERT INTO address_backfills (address_id, chain_gid, status) VALUES ($1, $2, 'running')`,
    [mine.id, CHAIN],
  );
  expect(ranges(await state(mine.address), 'history_incomplete')).toEqual([
    [null, null],
    [20, 24],
  ]);
});

it('declares blocks in which an address may have been paused, also where its history is complete', async () => {
  await follow(4);
  const { id, address } = await ledger.addAddress(world.api, { isImported: true });
  await addHistory(id, 'complete', [0, 4]);
  await ledger.addReading(id, 5, 100n);
  const monitor = (isMonitored: boolean) =>
    world.api.patch(`/addresses/${address}`).send({ is_monitored: isMonitored }).expect(200);
  await monitor(false);
  await follow(20);
  await monitor(true);
  // A payment and a sweep while it was paused: nothing of both is recorded, and the balance is as it was.
  await ledger.addReading(id, 20, 100n);
  const lines = await state(address);
  expect(linesOf(lines, 'balance')).toMatchObject([{ unexplained_raw: '0' }]);
  expect(ranges(lines, 'not_watched')).toEqual([[10, 19]]);
  expect(ranges(lines, 'history_incomplete')).toEqual([]);
  // Read again up to where it counts now.
  await world.db.query(
    `UPDATE address_histories SET status = 'running', next_block = 12 WHERE address_id = $1`,
    [id],
  );
  expect(ranges(await state(address), 'history_incomplete')).toEqual([[12, 19]]);
  await world.db.query(
    `UPDATE address_histories SET status = 'complete', next_block = 20 WHERE address_id = $1`,
    [id],
  );
  expect(linesOf(await state(address), 'gap')).toEqual([]);
});

it('watches an address that is older than its chain from the first block of the chain on', async () => {
  const { id, address } = await ledger.addAddress(world.api, { isImported: true });
  await follow(39, 12);
  const hash = await ledger.addMovement([id], { block: 15, from: STRANGER, to: address, amount: 7n });
  const unread = await state(address);
  expect(linesOf(unread, 'address')).toMatchObject([{ watched_from: { [CHAIN]: 12 } }]);
  expect(linesOf(unread, 'movement')).toMatchObject([{ transaction_hash: hash }]);
  expect(ranges(unread, 'not_watched')).toEqual([[10, 11]]);
  expect(ranges(unread, 'no_reading')).toEqual([[null, null]]);
  await ledger.addReading(id, 15, 7n);
  expect(ranges(await state(address), 'not_watched')).toEqual([[10, 11]]);
  await addHistory(id, 'running', [0, 11]);
  const read = await state(address);
  expect([ranges(read, 'not_watched'), ranges(read, 'history_incomplete')]).toEqual([[], [[11, 11]]]);
});

it('knows an address on no chain that is not followed yet, or that does not know it', async () => {
  const { address } = await ledger.addAddress(world.api, { isImported: true });
  expect(ranges(await state(address), 'not_watched')).toEqual([[null, null]]);
  const body = { value: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', chain_family: 'bitcoin' };
  const { body: coins } = await world.api.post('/addresses/external').send(body).expect(201);
  const signet = 'bip122:00000008819873e925422c1ff0f99f7c';
  await world.api.post('/blockchains').send({ chain_gid: signet }).expect(201);
  await world.db.query('INSERT INTO ingestor_states (chain_gid, start_number) VALUES ($1, 0)', [signet]);
  expect(ranges(await state(coins.address), 'not_watched')).toEqual([[null, null]]);
});
