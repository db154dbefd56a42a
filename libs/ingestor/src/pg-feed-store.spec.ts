// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { ShareLostError, takeShare, type OwnedShare } from '@chainwatch/data/ownership';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { StaleStateError } from './errors.ts';
import type { FeedStore } from './feed-store.ts';
import { createPgFeedStore } from './pg-feed-store.ts';
import { planExtension, planRepair } from './plan-batches.ts';
import { FakeChain } from './spec-support/fake-chain.ts';
import { action, History } from './spec-support/history.ts';
import { replayFeed } from './spec-support/replay-feed.ts';

let postgres: PostgresHandle;
let db: Database;
let chains = 0;
const shares: OwnedShare[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
});

afterAll(async () => {
  for (const share of shares) share.end();
  await db.close();
  await postgres.stop();
});

async function createStore() {
  chains += 1;
  const chainGid = `eip155:${chains}`;
  await db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ($1, 'evm', $1, $1, '')`,
    [chainGid],
  );
  const share = (await takeShare(db, { kind: 'ingestor.evm', share: chainGid }, randomUUID()))!;
  shares.push(share);
  const store = createPgFeedStore({ db, chainGid, share });
  // Makes the chain's row.
  await store.load();
  return { chainGid, store };
}

async function readBlocks(chainGid: string) {
  const { rows } = await db.query<{ number: number; hash: string | null; status: string }>(
    `SELECT number, hash, status FROM blocks WHERE chain_gid = $1
     UNION ALL SELECT number, hash, status FROM packed_blocks($1, 0, 1000000) ORDER BY number`,
    [chainGid],
  );
  return rows;
}

/** What the analyzer does with old blocks, here with all but the last two, so that most reorgs reach packed ones. Returns how many became packed. */
async function packFinal(chainGid: string): Promise<number> {
  await db.query(
    `INSERT INTO analyzer_states (chain_gid, confirmed_number) SELECT chain_gid, head_number - 2 FROM ingestor_states WHERE chain_gid = $1
     ON CONFLICT (chain_gid) DO UPDATE SET confirmed_number = EXCLUDED.confirmed_number`,
    [chainGid],
  );
  await db.query(
    `UPDATE blocks SET status = 'confirmed' WHERE chain_gid = $1 AND status = 'new' AND hash IS NOT NULL
       AND number <= (SELECT head_number - 2 FROM ingestor_states WHERE chain_gid = $1)`,
    [chainGid],
  );
  const { rows } = await db.query<{ packed: number }>(
    'SELECT sum(pack_blocks($1, first))::int AS packed FROM generate_series(0, 10240, 1024) AS first',
    [chainGid],
  );
  return rows[0]!.packed;
}

describe('the feed in PostgreSQL', () => {
  it.each([
    ['', false],
    [', while blocks are packed', true],
  ])(
    'keeps feed, blocks and state equal to the canonical chain over random histories%s',
    async (_, isPacking) => {
      let packed = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.nat(40),
          fc.array(action, { minLength: 5, maxLength: 40 }),
          async (startHeight, actions) => {
            const { chainGid, store: plain } = await createStore();
            const commit: FeedStore['commit'] = async (batch) => {
              await plain.commit(batch);
              if (isPacking) packed += await packFinal(chainGid);
            };
            const store = { ...plain, commit };
            const history = new History(startHeight, store);
            for (const step of actions) await history.run(step);
            await history.settle();

            const state = await store.load();
            const entries = await store.readEntries(0, 1_000_000);
            const replayed = replayFeed(entries);
            const canonical = history.chain
              .branch(state.startNumber ?? Number.NaN)
              .map(({ number, hash }) => ({ number, hash }));
            expect(replayed.chain).toEqual(canonical);
            expect(state).toEqual({
              ...state,
              feedSeq: entries.length,
              head: canonical.at(-1),
              finalized: replayed.finalized,
            });

            const blocks = await readBlocks(chainGid);
            expect(
              blocks
                .filter(({ status }) => status !== 'reorged')
                .map(({ number, hash }) => ({ number, hash })),
            ).toEqual(canonical);
            const told = new Set(entries.filter(({ type }) => type === 'block').map(({ hash }) => hash));
            expect(new Set(blocks.map(({ hash }) => hash))).toEqual(told);
          },
        ),
        { numRuns: isPacking ? 30 : 60 },
      );
      console.log('PACKED', packed, isPacking);
      expect(packed > 0).toBe(isPacking);
    },
  );

  it('records numbers that are not fetched yet with a null hash, and fills them', async () => {
    const { chainGid, store } = await createStore();
    const chain = new FakeChain();
    chain.extend(5);
    const [first, ...others] = chain.branch(1);
    await store.commit(planExtension({ feedSeq: 0 }, { headers: [first!], status: 'following' }));
    await store.announce(2, 5);
    await store.announce(1, 4);
    expect(await readBlocks(chainGid)).toEqual([
      { number: 1, hash: first!.hash, status: 'new' },
      ...[2, 3, 4, 5].map((number) => ({ number, hash: null, status: 'new' })),
    ]);
    await store.commit(planExtension(await store.load(), { headers: others, status: 'following' }));
    expect(await readBlocks(chainGid)).toEqual(
      chain.branch(1).map(({ number, hash }) => ({ number, hash, status: 'new' })),
    );
  });

  it('records numbers that turn out to be skipped, and takes that back with the branch that skipped them', async () => {
    const { chainGid, store } = await createStore();
    const first = { number: 10, hash: 'a', parentHash: 'z', timestamp: 1 };
    const second = { number: 14, hash: 'b', parentHash: 'a', timestamp: 2 };
    await store.commit(planExtension({ feedSeq: 0 }, { headers: [first], status: 'following' }));
    await store.announce(11, 14);
    await store.commit(planExtension(await store.load(), { headers: [second], status: 'following' }));
    expect(await readBlocks(chainGid)).toEqual([
      { number: 10, hash: 'a', status: 'new' },
      ...[11, 12, 13].map((number) => ({ number, hash: null, status: 'skipped' })),
      { number: 14, hash: 'b', status: 'new' },
    ]);
    const other = { number: 12, hash: 'c', parentHash: 'a', timestamp: 2 };
    const { batches } = planRepair(
      await store.load(),
      { ancestor: first, orphans: [second], branch: [other] },
      { blocksMax: 10, status: 'following' },
    );
    for (const batch of batches) await store.commit(batch);
    expect(await readBlocks(chainGid)).toEqual([
      { number: 10, hash: 'a', status: 'new' },
      { number: 11, hash: null, status: 'skipped' },
      { number: 12, hash: 'c', status: 'new' },
      { number: 14, hash: 'b', status: 'reorged' },
    ]);
  });

  it('refuses every write of an owner after a take-over', async () => {
    const { chainGid, store } = await createStore();
    const chain = new FakeChain();
    await store.commit(planExtension({ feedSeq: 0 }, { headers: [chain.tip], status: 'following' }));
    const state = await store.load();
    chain.extend(1);
    await db.query('UPDATE owners SET token = token + 1, owner = gen_random_uuid() WHERE share = $1', [
      chainGid,
    ]);
    await expect(
      store.commit(planExtension(state, { headers: [chain.tip], status: 'following' })),
    ).rejects.toThrow(ShareLostError);
    await expect(store.announce(5, 9)).rejects.toThrow(ShareLostError);
    await expect(store.setStatus('stalled', 'late')).rejects.toThrow(ShareLostError);
    await expect(store.load()).rejects.toThrow(ShareLostError);
    expect(await readBlocks(chainGid)).toHaveLength(1);
  });

  it('locks the blocks that it undoes in the order of their ids, and so never waits in a circle with the analyzer', async () => {
    const { chainGid, store } = await createStore();
    const chain = new FakeChain();
    chain.extend(40);
    const [root, ...orphans] = chain.branch(0);
    await store.commit(planExtension({ feedSeq: 0 }, { headers: [root!, ...orphans], status: 'following' }));
    const branch = [{ number: 1, hash: 'other', parentHash: root!.hash, timestamp: 1 }];
    const { batches } = planRepair(
      await store.load(),
      { ancestor: root!, orphans, branch },
      { blocksMax: 100, status: 'following' },
    );
    const waiting = () =>
      db.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%orphaned%'`,
      );
    let undoing: Promise<void> | undefined;
    await db.transaction(async (sql) => {
      await sql.query('SELECT 1 FROM blocks WHERE chain_gid = $1 AND number = 1 FOR UPDATE', [chainGid]);
      undoing = store.commit(batches[0]!);
      await waitFor(async () => (await waiting()).rows.length === 1);
      const { rows } = await sql.query(
        'SELECT 1 FROM blocks WHERE chain_gid = $1 AND number > 1 FOR UPDATE NOWAIT',
        [chainGid],
      );
      expect(rows).toHaveLength(39);
    });
    await undoing;
    expect((await readBlocks(chainGid)).filter(({ status }) => status === 'reorged')).toHaveLength(40);
  });

  it('locks the blocks that return in the order of their ids, too', async () => {
    const { chainGid, store } = await createStore();
    const root = { number: 1, hash: 'root', parentHash: 'zero', timestamp: 1 };
    const second = { number: 2, hash: 'second', parentHash: 'root', timestamp: 2 };
    const third = { number: 3, hash: 'third', parentHash: 'second', timestamp: 3 };
    await store.commit(planExtension({ feedSeq: 0 }, { headers: [root], status: 'following' }));
    for (const { number, hash } of [third, second])
      await db.query(`INSERT INTO blocks (chain_gid, number, hash, status) VALUES ($1, $2, $3, 'reorged')`, [
        chainGid,
        number,
        hash,
      ]);
    const isReturning = async () =>
      (
        await db.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%orphaned%'`,
        )
      ).rows.length === 1;
    const state = await store.load();
    let returning: Promise<void> | undefined;
    await db.transaction(async (sql) => {
      // As the analyzer, which undoes both.
      await sql.query(`SELECT 1 FROM blocks WHERE chain_gid = $1 AND hash = 'third' FOR UPDATE`, [chainGid]);
      returning = store.commit(planExtension(state, { headers: [second, third], status: 'following' }));
      await waitFor(isReturning);
      await sql.query(`SELECT 1 FROM blocks WHERE chain_gid = $1 AND hash = 'second' FOR UPDATE NOWAIT`, [
        chainGid,
      ]);
    });
    await returning;
    expect((await readBlocks(chainGid)).map(({ status }) => status)).toEqual(['new', 'new', 'new']);
  });

  it('refuses a batch that does not continue the stored feed', async () => {
    const { store } = await createStore();
    const chain = new FakeChain();
    const batch = planExtension({ feedSeq: 0 }, { headers: [chain.tip], status: 'following' });
    await store.commit(batch);
    await expect(store.commit(batch)).rejects.toThrow(StaleStateError);
    expect(await store.readEntries(0, 10)).toHaveLength(1);
  });

  it('prunes entries that the analyzer is more than 10,000 past', async () => {
    const { chainGid, store } = await createStore();
    const chain = new FakeChain();
    chain.extend(300);
    await store.commit(planExtension({ feedSeq: 0 }, { headers: chain.branch(0), status: 'following' }));
    expect(await store.prune()).toBe(0);
    await db.query('INSERT INTO analyzer_states (chain_gid, cursor_seq) VALUES ($1, 10100)', [chainGid]);
    expect(await store.prune()).toBe(99);
    expect((await store.readEntries(0, 1_000)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 202 }, (_, position) => 100 + position),
    );
  });
});
