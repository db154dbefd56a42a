// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { CHAIN, StatementLedger } from '../spec-support/statement-ledger.ts';
import { readChainGaps } from './read-chain-gaps.ts';
import type { GapLine } from './statement-lines.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
  await new StatementLedger(world).addChain(1);
});
afterAll(() => world.stop());
afterEach(async () => {
  for (const table of ['blocks', 'skips', 'incidents']) await world.db.query(`DELETE FROM ${table}`);
});

async function read(high: number): Promise<readonly GapLine[]> {
  const span = { chainGid: CHAIN, projectId: world.project.projectId, low: 1, high, finalNumber: high };
  return (await readChainGaps(world.db, span)).gaps;
}

interface Blocks {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly status?: string;
  readonly verification?: string;
}

async function insertBlocks({
  first,
  last,
  step,
  status = 'confirmed',
  verification = 'proved',
}: Blocks): Promise<void> {
  await world.db.query(
    `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status, verification)
     SELECT $1, n, 'h' || n, 'p' || n, now(), $5, $6 FROM generate_series($2::bigint, $3, $4) n`,
    [CHAIN, first, last, step, status, verification],
  );
}

/** What is listed of a kind up to a block: how many ranges, and the last two. */
async function endOf(kind: GapLine['kind'], high: number): Promise<unknown[]> {
  const ranges = (await read(high))
    .filter((gap) => gap.kind === kind)
    .map((gap) => [gap.from_block, gap.to_block]);
  return [ranges.length, ...ranges.slice(-2)];
}

describe('a thousand ranges, and one more', () => {
  it('of missing blocks', async () => {
    await insertBlocks({ first: 2, last: 2_100, step: 2 });
    expect(await endOf('missing_blocks', 2_000)).toEqual([1_000, [1_997, 1_997], [1_999, 1_999]]);
    expect(await endOf('missing_blocks', 2_100)).toEqual([1_001, [1_999, 1_999], [2_001, 2_100]]);
  });

  it('of missing blocks of several pages', async () => {
    await insertBlocks({ first: 100, last: 140_000, step: 100 });
    expect(await endOf('missing_blocks', 100_000)).toEqual([1_000, [99_801, 99_899], [99_901, 99_999]]);
    expect(await endOf('missing_blocks', 140_000)).toEqual([1_001, [99_901, 99_999], [100_001, 140_000]]);
  });

  it('of blocks that are not proved, and that are not analysed', async () => {
    await insertBlocks({ first: 2, last: 2_100, step: 2, status: 'new', verification: 'unproved' });
    for (const kind of ['unproved_blocks', 'not_analysed'] as const) {
      expect(await endOf(kind, 2_001)).toEqual([1_000, [1_998, 1_998], [2_000, 2_000]]);
      expect(await endOf(kind, 2_100)).toEqual([1_001, [2_000, 2_000], [2_002, 2_100]]);
    }
  });

  it('of skipped blocks', async () => {
    await world.db.query(
      `INSERT INTO skips (chain_gid, from_block, to_block) SELECT $1, n, n FROM generate_series(2, 2100, 2) n`,
      [CHAIN],
    );
    expect(await endOf('skipped_blocks', 2_001)).toEqual([1_000, [1_998, 1_998], [2_000, 2_000]]);
    expect(await endOf('skipped_blocks', 2_100)).toEqual([1_001, [2_000, 2_000], [2_002, 2_100]]);
  });

  it('of incidents', async () => {
    await world.db.query(
      `INSERT INTO incidents (chain_gid, kind, block_number, block_hash, last_block_number, expected, got)
       SELECT $1, 'type:' || n, n, 'x', n, 'known', 'new' FROM generate_series(2, 2100, 2) n`,
      [CHAIN],
    );
    expect(await endOf('incident', 2_001)).toEqual([1_000, [1_998, 1_998], [2_000, 2_000]]);
    expect(await endOf('incident', 2_100)).toEqual([1_001, [2_000, 2_000], [2_002, 2_100]]);
  });
});
