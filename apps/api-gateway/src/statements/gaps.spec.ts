// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import {
  CHAIN,
  ETHER,
  hashOf,
  linesOf,
  makeStatement,
  parseLines,
  startSpecWorker,
  StatementLedger,
  STRANGER,
  timeOf,
  type SpecWorker,
} from '../spec-support/statement-ledger.ts';
import { composeStatement } from './compose-statement.ts';
import { WindowChangedError } from './statement-errors.ts';
import type { GapLine, StatementLine } from './statement-lines.ts';

const TOKEN = `${CHAIN}/erc20:0x${'22'.repeat(20)}`;
const NFT = `${CHAIN}/erc20:0x${'33'.repeat(20)}`;
const PERIOD = { from: timeOf(10), to: timeOf(30) };

let world: SpecWorld;
let ledger: StatementLedger;
let worker: SpecWorker;
let mine: { readonly id: string; readonly address: string };
beforeAll(async () => {
  world = await startSpecWorld();
  ledger = new StatementLedger(world);
  await ledger.addChain(40);
  await ledger.addAsset(ETHER, 'native');
  await ledger.addAsset(TOKEN);
  await ledger.addAsset(NFT, 'nft');
  worker = startSpecWorker(world);
});
afterAll(async () => {
  await worker.stop();
  await world.stop();
});
beforeEach(async () => {
  mine = await ledger.addAddress(world.api);
  await ledger.addReading(mine.id, 5, 100n);
});

async function state(period: object = PERIOD): Promise<StatementLine[]> {
  return parseLines((await makeStatement(world.api, { addresses: [mine.address], ...period })).text);
}

const ranges = (lines: readonly StatementLine[], kind: GapLine['kind']): unknown[] =>
  linesOf(lines, 'gap')
    .filter((gap) => gap.kind === kind)
    .map((gap) => [gap.from_block, gap.to_block]);

it('declares nothing where everything is known', async () => {
  expect(linesOf(await state(), 'gap')).toEqual([]);
});

it('says between which readings a movement is missing that was removed by hand', async () => {
  const move = { from: STRANGER, to: mine.address };
  await ledger.addMovement([mine.id], { ...move, block: 12, amount: 7n });
  await ledger.addReading(mine.id, 12, 107n);
  const hash = await ledger.addMovement([mine.id], { ...move, block: 17, amount: 40n });
  await ledger.addReading(mine.id, 17, 147n);
  await ledger.addMovement([mine.id], { ...move, block: 25, amount: 3n });
  await ledger.addReading(mine.id, 25, 150n);
  const whole = await state();
  expect(linesOf(whole, 'balance')).toMatchObject([{ unexplained_raw: '0', explained_raw: '50' }]);
  await world.db.query('DELETE FROM transactions WHERE hash = $1', [hash]);
  const lines = await state();
  expect(linesOf(lines, 'balance')).toMatchObject([{ unexplained_raw: '40', explained_raw: '10' }]);
  expect(ranges(lines, 'unexplained')).toEqual([[13, 17]]);
});

it('shows an adjustment beside what is unexplained, and never adds it up', async () => {
  await ledger.addReading(mine.id, 15, 130n);
  await world.db.query(
    `INSERT INTO adjustments (id, address_id, project_id, chain_gid, asset_gid, amount_raw, from_block, block_number, block_hash)
     VALUES (gen_random_uuid(), $1, $2, $3, $4, 30, 5, 15, $5)`,
    [mine.id, world.project.projectId, CHAIN, ETHER, hashOf(15)],
  );
  const lines = await state();
  expect(linesOf(lines, 'adjustment')).toMatchObject([{ amount_raw: '30', since_block: 5, until_block: 15 }]);
  expect(linesOf(lines, 'balance')).toMatchObject([
    { explained_raw: '0', unexplained_raw: '30', adjustments_raw: '30' },
  ]);
  expect(ranges(lines, 'unexplained')).toEqual([[6, 15]]);
});

it('declares what a single reading showed and nothing explains, until a second one decides', async () => {
  const insert = (since: number, block: number): Promise<unknown> =>
    world.db.query(
      `INSERT INTO balance_differences (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash, since_number)
       VALUES ($1, $2, $3, -8, $4, $5, $6)`,
      [mine.id, ETHER, CHAIN, block, hashOf(block), since],
    );
  await ledger.addReading(mine.id, 15, 100n);
  expect(ranges(await state(), 'unexplained')).toEqual([]);
  await insert(12, 18);
  const lines = await state();
  expect(ranges(lines, 'unexplained')).toEqual([[13, 18]]);
  expect(linesOf(lines, 'balance')).toMatchObject([{ unexplained_raw: '0' }]);
  // It began behind the end.
  await world.db.query('UPDATE balance_differences SET since_number = 1000, block_number = 1001');
  expect(ranges(await state(), 'unexplained')).toEqual([]);
});

it('declares a token that moved and has no reading, and what is later than the last one; leaves NFTs out', async () => {
  const move = { from: STRANGER, to: mine.address, amount: 5n };
  await ledger.addMovement([mine.id], { ...move, block: 12, asset: TOKEN, type: 'token' });
  await ledger.addMovement([mine.id], { ...move, block: 14 });
  await world.db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status) VALUES ($1, $2, 'erc20', 'x', 'nft', 'active') ON CONFLICT DO NOTHING`,
    [NFT, CHAIN],
  );
  await ledger.addMovement([mine.id], { ...move, block: 13, asset: NFT, type: 'token' });
  const lines = await state();
  expect(
    linesOf(lines, 'balance').map(({ asset_gid, unexplained_raw }) => [asset_gid, unexplained_raw]),
  ).toEqual([
    [ETHER, '0'],
    [TOKEN, null],
  ]);
  expect(linesOf(lines, 'movement').map(({ asset_gid, is_counted }) => [asset_gid, is_counted])).toEqual([
    [TOKEN, false],
    [ETHER, false],
  ]);
  expect(ranges(lines, 'no_reading')).toEqual([[null, null]]);
  expect(ranges(lines, 'reading_behind')).toEqual([[6, null]]);
});

it('declares blocks that are not proved, not stored, skipped, not final, and not analysed', async () => {
  await using _ = await changedChain(`
    UPDATE blocks SET verification = 'unproved' WHERE number BETWEEN 12 AND 13;
    UPDATE blocks SET verification = 'settling' WHERE number = 27;
    DELETE FROM blocks WHERE number BETWEEN 15 AND 16;
    UPDATE analyzer_states SET cursor_number = 27, confirmed_number = 24;
    INSERT INTO ingestor_states (chain_gid, head_number) VALUES ('${CHAIN}', 39);
    INSERT INTO skips (chain_gid, from_block, to_block) VALUES ('${CHAIN}', 5, 11), ('${CHAIN}', 35, 36);
    INSERT INTO incidents (chain_gid, kind, block_number, block_hash, last_block_number, expected, got) VALUES ('${CHAIN}', 'type:0x7d', 20, 'x', 22, 'known', 'new');`);
  const lines = await state();
  expect(ranges(lines, 'unproved_blocks')).toEqual([
    [12, 13],
    [27, 27],
  ]);
  expect(ranges(lines, 'missing_blocks')).toEqual([[15, 16]]);
  expect(ranges(lines, 'skipped_blocks')).toEqual([[10, 11]]);
  expect(ranges(lines, 'not_final')).toEqual([[25, 27]]);
  expect(ranges(lines, 'not_analysed')).toEqual([[28, 39]]);
  expect(ranges(lines, 'incident')).toEqual([[20, 22]]);
  expect(linesOf(lines, 'chain')).toMatchObject([
    { last_block: { number: 27 }, block_count: 16, verification: { proved: 13, unproved: 2, settling: 1 } },
  ]);
});

it('declares that blocks may follow, and that none is before', async () => {
  const lines = await state({ from: timeOf(-10), to: timeOf(60) });
  expect(ranges(lines, 'analysis_behind')).toEqual([[40, null]]);
  expect(ranges(lines, 'no_blocks')).toEqual([[null, -1]]);
  expect(linesOf(lines, 'chain')).toMatchObject([{ opening_block: null, first_block: { number: 0 } }]);
});

it('reads packed blocks as it reads rows', async () => {
  await using _ = await changedChain(`
    INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status, verification)
      SELECT '${CHAIN}', n, '0x' || lpad(to_hex(n), 64, '0'), CASE n WHEN 40 THEN '${hashOf(39)}' ELSE '0x' || lpad(to_hex(n - 1), 64, '0') END,
        '${timeOf(0)}'::timestamptz + n * interval '10 s', 'confirmed', 'proved' FROM generate_series(40, 2100) n;
    UPDATE analyzer_states SET cursor_number = 2100, confirmed_number = 2100;`);
  const period = { from: timeOf(20), to: timeOf(1_500) };
  const rows = linesOf(await state(period), 'chain');
  const { rows: packed } = await world.db.query<{ count: number }>('SELECT pack_blocks($1, 0) AS count', [
    CHAIN,
  ]);
  expect(packed[0]!.count).toBeGreaterThan(900);
  expect(linesOf(await state(period), 'chain')).toEqual(rows);
  expect(rows).toMatchObject([
    { block_count: 1_480, first_block: { number: 20 }, last_block: { number: 1_499 } },
  ]);
});

it("tells no project of another one's incident", async () => {
  await using _ = await changedChain(`
    INSERT INTO incidents (chain_gid, kind, status, block_number, block_hash, expected, got, project_id) VALUES ('${CHAIN}', 'poison:balances', 'quarantined', 12, 'x', 'theirs', 'theirs', '${world.otherProject.projectId}');
    INSERT INTO incidents (chain_gid, kind, status, block_number, block_hash, expected, got, project_id, address_id) VALUES ('${CHAIN}', 'poison:balances', 'quarantined', 13, 'x', 'mine', 'mine', '${world.project.projectId}', '${mine.id}');`);
  expect(linesOf(await state(), 'gap').map(({ reason }) => reason)).toEqual([
    'open incident poison:balances: expected mine, got mine',
  ]);
});

it('is begun again when a reorganization takes a block away while it is written', async () => {
  await using _ = await changedChain('');
  const reorganize = async (): Promise<void> => {
    await world.db.query(`UPDATE blocks SET status = 'reorged' WHERE number >= 28`);
    await ledger.addBlocks(28, 39, 'b');
  };
  const request = { address_ids: [mine.id], addresses: [mine.address], chain_gids: null, ...PERIOD };
  const composing = composeStatement({
    db: worker.db,
    statement: { id: mine.id, projectId: world.project.projectId, request, format: 'ndjson', attempt: 1 },
    signal: new AbortController().signal,
    progress: { addresses: 0, movements: 0, gaps: 0, unexplained: 0 },
    emit: async (line) => {
      if (line.type === 'balance') await reorganize();
    },
  });
  await expect(composing).rejects.toThrow(WindowChangedError);
  // The next attempt sees the new blocks alone.
  expect(linesOf(await state(), 'chain')).toMatchObject([
    { last_block: { number: 29, hash: hashOf(29, 'b') } },
  ]);
});

/** Changes the chain for one test. */
async function changedChain(text: string): Promise<AsyncDisposable> {
  const tables = ['blocks', 'analyzer_states'];
  for (const table of tables) await world.db.query(`CREATE TABLE saved_${table} AS TABLE ${table}`);
  await world.db.query(text);
  return {
    async [Symbol.asyncDispose]() {
      for (const table of ['skips', 'incidents', 'ingestor_states', 'block_runs', 'block_packing'])
        await world.db.query(`DELETE FROM ${table}`);
      for (const table of tables) {
        await world.db.query(`DELETE FROM ${table}`);
        await world.db.query(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE TABLE saved_${table}`);
        await world.db.query(`DROP TABLE saved_${table}`);
      }
    },
  };
}
