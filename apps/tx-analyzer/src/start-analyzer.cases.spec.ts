// SPDX-License-Identifier: Apache-2.0
import {
  ChainClientError,
  ChainNotConfiguredError,
  IncompleteBlockError,
  type Block,
  type Transaction,
  type Transfer,
} from '@chainwatch/chain-core';
import { EVENT_SCHEMAS, eventIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf, NATIVE, network, TOKEN } from '@chainwatch/data/testing';
import { askForMissedBalances } from './watch/ask-for-missed-balances.ts';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { PausingDatabase } from './spec-world/spec-pausing-database.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres);
  project = await world.addProject();
});
afterEach(() => world.stop());

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const CAROL = '0xcccccccccccccccccccccccccccccccccccccccc';
const DAVE = '0xdddddddddddddddddddddddddddddddddddddddd';

const fee = (payer: string) => ({ assetGid: NATIVE, amountRaw: 21_000n, payer });
const transfer = (from: string, to: string, amountRaw = 5n, more: Partial<Transfer> = {}): Transfer => ({
  index: 0,
  type: 'native',
  assetGid: NATIVE,
  from,
  to,
  amountRaw,
  ...more,
});
const pay = (name: string, from: string, to: string, amountRaw = 5n) =>
  makeTransaction(name, { from, to, fee: fee(from), transfers: [transfer(from, to, amountRaw)] });
const records = () =>
  world.rows<{ status: string; direction: string; epoch: number; block_hash: string }>(
    'SELECT status, direction, epoch, block_hash FROM transactions ORDER BY block_number, tx_index',
  );
const types = async () => (await world.events()).map((event) => event.type);
const payloads = async () =>
  (await world.events()).map((event) =>
    EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload)),
  );
const reads = () =>
  world.rows<{ address_id: string | null; asset_gid: string; block_number: number | null; reason: string }>(
    `SELECT address_id, asset_gid, block_number, reason FROM balance_reads WHERE reason <> 'imported' ORDER BY id`,
  );

describe('what a transaction means', () => {
  it('tells each of two projects once', async () => {
    const other = await world.addProject();
    await world.watch(project, ALICE);
    await world.watch(other, ALICE);
    world.startAnalyzer();
    await world.feedBlocks(world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] }));
    await world.settle();
    const events = await world.events();
    expect(events.map((event) => event.project_id).sort()).toEqual([project, other].sort());
    expect(events.map((event) => event.sequence)).toEqual([1, 1]);
    expect(new Set(events.map((event) => event.event_id)).size).toBe(2);
  });

  it('makes one event of a transfer between two addresses of a project', async () => {
    const alice = await world.watch(project, ALICE);
    const bob = await world.watch(project, BOB);
    world.startAnalyzer();
    await world.feedBlocks(world.chain.make(undefined, { transactions: [pay('1', ALICE, BOB, 7n)] }));
    await world.settle();
    const [event, ...rest] = await payloads();
    expect(rest).toEqual([]);
    expect(event!.data.transaction.direction).toBe('self');
    expect(event!.data.transaction.transfers[0]!.monitored_addresses).toEqual([ALICE, BOB]);
    expect(
      new Map(event!.data.balance_changes.map((change) => [change.address_id, change.delta_raw])),
    ).toEqual(
      new Map([
        [alice.id, '-21007'],
        [bob.id, '7'],
      ]),
    );
    expect(await world.rows('SELECT 1 FROM transaction_addresses')).toHaveLength(2);
  });

  it("goes on with a block's trace in the events and readings that it leads to", async () => {
    await world.watch(project, ALICE);
    const one = world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] });
    const traceOf = (digit: string) => `00-${digit.repeat(32)}-00f067aa0ba902b7-01`;
    await world.feedBlocks(one, world.chain.make(one));
    await world.feedFinalize(one);
    for (const [seq, digit] of [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ] as const)
      await world.db.query('UPDATE chain_feed SET traceparent = $2 WHERE seq = $1', [seq, traceOf(digit)]);
    world.startAnalyzer();
    await world.settle();
    const traceIds = async (table: string) =>
      (
        await world.rows<{ trace: string }>(
          `SELECT substr(traceparent, 4, 32) AS trace FROM ${table} WHERE traceparent IS NOT NULL ORDER BY id`,
        )
      ).map(({ trace }) => trace);
    expect(await traceIds('event_log')).toEqual(['a'.repeat(32), 'c'.repeat(32)]);
    expect((await traceIds('balance_reads'))[0]).toBe('a'.repeat(32));
  });

  it('charges only the fee for a transfer to oneself', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    await world.feedBlocks(world.chain.make(undefined, { transactions: [pay('1', ALICE, ALICE)] }));
    await world.settle();
    const [event] = await payloads();
    expect(event!.data.transaction.direction).toBe('self');
    expect(event!.data.transaction.transfers[0]!.monitored_addresses).toEqual([ALICE]);
    expect(event!.data.balance_changes.map((change) => change.delta_raw)).toEqual(['-21000']);
  });

  it('tells the sender of a failed transaction as failed, and nobody else', async () => {
    await world.watch(project, ALICE);
    const other = await world.addProject();
    await world.watch(other, BOB);
    world.startAnalyzer();
    const failed = makeTransaction('f', { from: ALICE, to: BOB, isFailed: true, fee: fee(ALICE) });
    const one = world.chain.make(undefined, { transactions: [failed] });
    await world.feedBlocks(one);
    await world.feedFinalize(one);
    await world.settle();
    const events = await payloads();
    expect(events.map((event) => [event.type, event.project_id])).toEqual([['transaction.failed', project]]);
    expect(events[0]!.data.transaction).toMatchObject({ status: 'failed', direction: 'out', transfers: [] });
    expect(await world.rows('SELECT status, confirmed_at IS NOT NULL AS is_final FROM transactions')).toEqual(
      [{ status: 'failed', is_final: true }],
    );
    await waitFor(() => world.bus.published.some(({ kind }) => kind === 'tx.detected'));
  });

  it('tells the creator of a contract', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    await world.feedBlocks(
      world.chain.make(undefined, {
        transactions: [makeTransaction('c', { from: ALICE, createdContract: CAROL, fee: fee(ALICE) })],
      }),
    );
    await world.settle();
    expect((await payloads())[0]!.data).toMatchObject({
      transaction: { direction: 'out', transfers: [] },
      balance_changes: [{ address: ALICE, delta_raw: '-21000' }],
    });
  });

  it('records transfers of nothing and says when there are too many for an event', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    const spam = Array.from({ length: 150 }, (_, index) =>
      transfer(BOB, ALICE, 0n, { index, type: 'token', assetGid: TOKEN, logIndex: index }),
    );
    await world.feedBlocks(
      world.chain.make(undefined, {
        transactions: [
          makeTransaction('s', {
            from: BOB,
            fee: fee(BOB),
            transfers: [...spam, transfer(BOB, CAROL, 1n, { index: 150 })],
          }),
        ],
      }),
    );
    await world.settle();
    const [event] = await payloads();
    expect(event!.data.truncated).toBe(true);
    expect(event!.data.transaction.transfers).toHaveLength(100);
    expect(event!.data.transaction.direction).toBe('in');
    expect(await world.rows('SELECT 1 FROM transfers')).toHaveLength(150);
    expect(event!.data.addresses_truncated).toBeUndefined();
  });

  it.each(['unknown', 'invalid'])(
    'leaves amounts open while a token is unknown, and reads its holders when it becomes known: found %s, the chain is asked',
    async (status) => {
      const alice = await world.watch(project, ALICE);
      const strange = `${network.gid}/erc20:${DAVE}`;
      const client = world.chain.client.bind(world.chain);
      let isDown = true;
      world.chain.client = () =>
        Object.assign(client(), {
          readTokens: async (gids: readonly string[]) => {
            if (isDown) throw new Error('the node is busy');
            return gids.map(() => ({ name: 'S', symbol: 'S', decimals: 2 }));
          },
        });
      world.startAnalyzer();
      await world.feedBlocks(
        world.chain.make(undefined, {
          transactions: [
            makeTransaction('s', {
              from: BOB,
              fee: fee(BOB),
              transfers: [transfer(BOB, ALICE, 150n, { type: 'token', assetGid: strange, logIndex: 0 })],
            }),
          ],
        }),
      );
      await world.settle();
      expect((await payloads())[0]!.data.transaction.transfers[0]).toMatchObject({
        amount: null,
        decimals: null,
        amount_raw: '150',
      });
      expect(await world.rows('SELECT status FROM assets WHERE gid = $1', [strange])).toEqual([
        { status: 'unknown' },
      ]);
      // Said to be no token, and restored by a project.
      await world.db.query('UPDATE assets SET status = $2 WHERE gid = $1', [strange, status]);
      await world.db.query(`UPDATE assets SET status = 'unknown' WHERE gid = $1`, [strange]);
      isDown = false;
      await waitFor(async () => {
        await world.db.query(
          `UPDATE assets SET next_attempt_at = now() WHERE gid = $1 AND decimals IS NULL`,
          [strange],
        );
        return (
          (
            await world.rows(`SELECT 1 FROM assets WHERE gid = $1 AND status = 'active' AND decimals = 2`, [
              strange,
            ])
          ).length === 1
        );
      });
      expect(await reads()).toContainEqual({
        address_id: alice.id,
        asset_gid: strange,
        block_number: null,
        reason: 'touched',
      });
      expect(await world.rows('SELECT asset_gid, status, symbol FROM project_assets')).toEqual([
        { asset_gid: strange, status: 'active', symbol: 'S' },
      ]);
    },
  );

  it('reads balances that change without a transaction', async () => {
    const alice = await world.watch(project, ALICE);
    world.startAnalyzer();
    await world.feedBlocks(
      world.chain.make(undefined, {
        balanceChanges: [
          { address: ALICE, assetGid: NATIVE, amountRaw: 3n, reason: 'withdrawal' },
          { address: BOB, assetGid: NATIVE, reason: 'reward' },
        ],
      }),
    );
    await world.settle();
    expect(await reads()).toEqual([
      { address_id: alice.id, asset_gid: NATIVE, block_number: 1, reason: 'touched' },
    ]);
    expect(await world.events()).toEqual([]);
  });

  it('reads the holders of a touched token once somebody holds it', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    const one = world.chain.make(undefined, { touchedAssets: [TOKEN] });
    const two = world.chain.make(one, {
      transactions: [
        makeTransaction('t', {
          from: BOB,
          transfers: [transfer(BOB, ALICE, 9n, { type: 'token', assetGid: TOKEN, logIndex: 0 })],
        }),
      ],
    });
    const three = world.chain.make(two, { touchedAssets: [TOKEN, `${network.gid}/erc20:${DAVE}`] });
    await world.feedBlocks(one, two, three);
    await world.settle();
    expect((await reads()).filter((read) => read.address_id === null)).toEqual([
      { address_id: null, asset_gid: TOKEN, block_number: 3, reason: 'touched' },
    ]);
  });

  it('asks for the holders of a touched token of the lists before anybody is known to hold it: an import may be reading the first one', async () => {
    await world.watch(project, ALICE);
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, source) VALUES ($1, $2, 'erc20', 'x', 'fungible', 'active', 'Token', 'T', 18, 'chain')`,
      [TOKEN, network.gid],
    );
    world.startAnalyzer();
    const one = world.chain.make(undefined, { touchedAssets: [TOKEN, `${network.gid}/erc20:${DAVE}`] });
    await world.feedBlocks(one);
    await world.settle();
    expect(await reads()).toEqual([
      { address_id: null, asset_gid: TOKEN, block_number: 1, reason: 'touched' },
    ]);
  });

  describe('of an address that a log names and no transfer', () => {
    const VAULT = `${network.gid}/erc20:${DAVE}`;
    const named = (assetGid: string, ...addresses: readonly string[]) => ({
      touchedAssets: [assetGid],
      mentions: [{ assetGid, addresses }],
    });
    const addToken = () =>
      world.db.query(
        `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'erc20', 'x', 'fungible', 'active', 18)`,
        [TOKEN, network.gid],
      );
    const readOf = async () => (await reads()).filter((read) => read.address_id !== null);

    it('is read once, at the block, for everybody who watches it from there on', async () => {
      const alice = await world.watch(project, ALICE);
      const late = await world.watch(await world.addProject(), ALICE);
      await world.db.query(
        `INSERT INTO address_watches (address_id, chain_gid, from_block, feed_seq) VALUES ($1, $2, 2, 0)
         ON CONFLICT (address_id, chain_gid) DO UPDATE SET from_block = 2`,
        [late.id, network.gid],
      );
      await addToken();
      world.startAnalyzer();
      await world.feedBlocks(world.chain.make(undefined, named(TOKEN, BOB, ALICE)));
      await world.settle();
      expect(await readOf()).toEqual([
        { address_id: alice.id, asset_gid: TOKEN, block_number: 1, reason: 'mentioned' },
      ]);
      expect(await world.events()).toEqual([]);
    });

    it('is read as ever where a transfer beside it explains it', async () => {
      const alice = await world.watch(project, ALICE);
      world.startAnalyzer();
      await world.feedBlocks(
        world.chain.make(undefined, {
          transactions: [
            makeTransaction('t', {
              from: BOB,
              transfers: [transfer(BOB, ALICE, 9n, { type: 'token', assetGid: TOKEN, logIndex: 0 })],
            }),
          ],
          ...named(TOKEN, ALICE),
        }),
      );
      await world.settle();
      expect((await readOf()).filter(({ asset_gid }) => asset_gid === TOKEN)).toEqual([
        { address_id: alice.id, asset_gid: TOKEN, block_number: 1, reason: 'detected' },
      ]);
    });

    it('is read of a contract that nobody knew and that is a token', async () => {
      const alice = await world.watch(project, ALICE);
      world.chain.tokens.set(VAULT, { name: 'Vault', symbol: 'V', decimals: 8 });
      world.startAnalyzer();
      const one = world.chain.make(undefined, named(VAULT, ALICE));
      await world.feedBlocks(one, world.chain.make(one, named(VAULT, ALICE)));
      await world.settle();
      expect((await readOf()).at(-1)).toMatchObject({
        address_id: alice.id,
        asset_gid: VAULT,
        reason: 'mentioned',
      });
      expect(await world.rows('SELECT symbol, status FROM assets WHERE gid = $1', [VAULT])).toEqual([
        { symbol: 'V', status: 'active' },
      ]);
      // Nobody lists it before a balance was found.
      expect(await world.rows('SELECT 1 FROM project_assets')).toEqual([]);
    });

    it('is not read of a contract that is no token: it leaves nothing behind, and is asked once', async () => {
      await world.watch(project, ALICE);
      world.startAnalyzer();
      const one = world.chain.make(undefined, named(VAULT, ALICE));
      const two = world.chain.make(one, named(VAULT, ALICE));
      await world.feedBlocks(one);
      await world.settle();
      const { tokenReads } = world.chain;
      await world.feedBlocks(two);
      await world.settle();
      expect([await readOf(), await world.rows('SELECT 1 FROM assets WHERE gid = $1', [VAULT])]).toEqual([
        [],
        [],
      ]);
      expect([tokenReads, world.chain.tokenReads]).toEqual([1, 1]);
    });
  });

  it('does not read the holders of a contract that is no token', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    const one = world.chain.make(undefined, {
      transactions: [
        makeTransaction('t', {
          from: BOB,
          transfers: [transfer(BOB, ALICE, 9n, { type: 'token', assetGid: TOKEN, logIndex: 0 })],
        }),
      ],
    });
    await world.feedBlocks(one);
    await world.settle();
    await world.db.query(`UPDATE assets SET status = 'invalid' WHERE gid = $1`, [TOKEN]);
    await world.feedBlocks(world.chain.make(one, { touchedAssets: [TOKEN] }));
    await world.settle();
    expect((await reads()).filter((read) => read.address_id === null)).toEqual([]);
  });
});

describe('reorgs', () => {
  it('follows a chain that comes back', async () => {
    await world.watch(project, ALICE);
    const payment = pay('1', BOB, ALICE);
    const root = world.chain.make(undefined);
    const a = world.chain.make(root, { transactions: [payment] }, 'a');
    const b = world.chain.make(root, {}, 'b');
    world.startAnalyzer();
    await world.feedBlocks(root, a);
    await world.feedReorg([a]);
    await world.feedBlocks(b);
    await world.feedReorg([b]);
    await world.feedBlocks(a);
    await world.settle();
    expect(await records()).toEqual([{ status: 'detected', direction: 'in', epoch: 1, block_hash: a.hash }]);
    expect(await types()).toEqual(['transaction.detected', 'transaction.reorged', 'transaction.detected']);
    expect(await world.rows('SELECT hash, status FROM blocks ORDER BY status, number')).toEqual([
      { hash: root.hash, status: 'processed' },
      { hash: a.hash, status: 'processed' },
      { hash: b.hash, status: 'reorged' },
    ]);
  });

  it.each([
    ['in one step', 1],
    ['in several', 600],
  ])('goes on after a reorg below the first block it followed, %s', async (_name, count) => {
    await world.watch(project, ALICE);
    const old: Block[] = [];
    for (let index = 0; index < count; index += 1)
      old.push(
        world.chain.make(
          old.at(-1) ?? { number: 9, hash: hashOf('old nine') },
          index === 0 ? { transactions: [pay('1', BOB, ALICE)] } : {},
        ),
      );
    const other = world.chain.make(
      { number: 9, hash: hashOf('other nine') },
      { transactions: [pay('2', BOB, ALICE)] },
    );
    world.startAnalyzer();
    await world.feedBlocks(...old);
    await world.feedFinalize(old[0]!);
    await world.settle();
    await world.feedReorg(old.toReversed(), world.seq + count + 2);
    await world.settle();
    await world.feedBlocks(other, world.chain.make(other));
    await world.settle();
    expect(await types()).toEqual([
      'transaction.detected',
      'transaction.confirmed',
      'transaction.reorged',
      'transaction.detected',
    ]);
    await world.feedFinalize(other);
    await world.settle();
    await waitFor(() => world.bus.published.length === 5, {
      message: () =>
        `five messages, there are ${world.bus.published.map(({ payload }) => `${payload.type} ${payload.sequence}`).join(', ')}`,
    });
    expect((await records()).map((record) => record.status)).toEqual(
      expect.arrayContaining(['reorged', 'confirmed']),
    );
    expect(await world.rows('SELECT status, reason, confirmed_number FROM analyzer_states')).toEqual([
      { status: 'following', reason: null, confirmed_number: 10 },
    ]);
  });

  it('never waits in a circle with a reorg of blocks that become final in the same step', async () => {
    const one = world.chain.make(undefined);
    const two = world.chain.make(one);
    const three = world.chain.make(two);
    const four = world.chain.make(three);
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    await world.stopAnalyzer();
    await world.feedBlocks(two, three, four);
    await world.feedFinalize(two);
    const isUndoing = async () =>
      (
        await world.rows(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'SELECT 1 FROM blocks%'`,
        )
      ).length === 1;
    let undoing: Promise<void> | undefined;
    world.startAnalyzer(
      new PausingDatabase(async (name) => {
        if (name !== 'confirm_blocks' || undoing !== undefined) return;
        undoing = world.feedReorg([four, three, two, one], world.seq + 4);
        await waitFor(isUndoing);
      }),
    );
    await waitFor(async () => undoing !== undefined);
    await undoing;
    await world.settle();
    expect(await world.rows('SELECT DISTINCT status FROM blocks')).toEqual([{ status: 'reorged' }]);
  });

  it('passes an orphan over whose body is gone', async () => {
    await world.watch(project, ALICE);
    const root = world.chain.make(undefined);
    const orphan = world.chain.make(root, { transactions: [pay('1', BOB, ALICE)] });
    const next = world.chain.make(root, { transactions: [pay('2', BOB, ALICE)] }, 'b');
    world.chain.missing.add(orphan.hash);
    await world.feedBlocks(root, orphan);
    await world.feedReorg([orphan]);
    await world.feedBlocks(next);
    world.startAnalyzer();
    await world.settle();
    expect(await records()).toEqual([
      { status: 'detected', direction: 'in', epoch: 0, block_hash: next.hash },
    ]);
  });

  it('holds what it has to tell below finality until the chain is repaired', async () => {
    await world.watch(project, ALICE);
    const root = world.chain.make(undefined);
    const one = world.chain.make(root, { transactions: [pay('1', BOB, ALICE)] });
    const payment = pay('2', BOB, ALICE);
    const other = [world.chain.make(root, { transactions: [payment] }, 'b')];
    other.push(world.chain.make(other[0], {}, 'b'));
    world.startAnalyzer();
    await world.feedBlocks(root, one);
    await world.feedFinalize(one);
    await world.settle();
    // reorg, two blocks: the repair ends with the entry after next.
    await world.feedReorg([one], world.seq + 3);
    await world.feedBlocks(other[0]!);
    await world.settle();
    const held = (await world.events()).slice(2);
    expect(held.map((event) => [event.type, event.is_held, event.is_published])).toEqual([
      ['transaction.reorged', true, false],
      ['transaction.detected', true, false],
    ]);
    expect(await world.rows('SELECT status, confirmed_number FROM analyzer_states')).toEqual([
      { status: 'recovering', confirmed_number: 1 },
    ]);
    expect(world.bus.published).toHaveLength(2);
    await world.feedBlocks(other[1]!);
    await world.settle();
    await waitFor(() => world.bus.published.length === 4);
    expect((await world.events()).some((event) => event.is_held)).toBe(false);
    await world.feedFinalize(other[1]!);
    await world.settle();
    expect(await types()).toEqual([
      'transaction.detected',
      'transaction.confirmed',
      'transaction.reorged',
      'transaction.detected',
      'transaction.confirmed',
    ]);
  });

  it('undoes readings that no transaction explains', async () => {
    const alice = await world.watch(project, ALICE);
    const root = world.chain.make(undefined);
    const one = world.chain.make(root, {
      balanceChanges: [{ address: ALICE, assetGid: NATIVE, reason: 'reward' }],
    });
    world.startAnalyzer();
    await world.feedBlocks(root, one);
    await world.settle();
    await world.db.query(
      'INSERT INTO balance_history (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw) VALUES ($1, $2, $3, 2, $4, 1)',
      [alice.id, NATIVE, network.gid, one.hash],
    );
    await world.db.query(
      `INSERT INTO adjustments (id, address_id, project_id, chain_gid, asset_gid, amount_raw, from_block, block_number, block_hash) VALUES (gen_random_uuid(), $1, $2, $3, $4, 1, 1, 2, $5)`,
      [alice.id, project, network.gid, NATIVE, one.hash],
    );
    await world.feedReorg([one]);
    await world.settle();
    expect(await reads()).toContainEqual({
      address_id: alice.id,
      asset_gid: NATIVE,
      block_number: null,
      reason: 'reorged',
    });
    expect(await world.rows('SELECT 1 FROM balance_history UNION ALL SELECT 1 FROM adjustments')).toEqual([]);
  });

  it('takes a block that it undid for a new one, when the ingestor has found it canonical again before', async () => {
    const root = world.chain.make(undefined);
    const orphan = world.chain.make(root);
    await world.feedBlocks(root, orphan);
    await world.feedReorg([orphan]);
    // As the ingestor leaves it when the block is back; its next entry in the feed is still to come.
    await world.db.query(`UPDATE blocks SET status = 'new' WHERE hash = $1`, [orphan.hash]);
    world.startAnalyzer();
    await world.settle();
    expect(await world.rows('SELECT number, status FROM blocks ORDER BY number')).toEqual([
      { number: 1, status: 'processed' },
      { number: 2, status: 'new' },
    ]);
  });

  it('finalizes many blocks at once', async () => {
    await world.watch(project, ALICE);
    let tip = world.chain.make(undefined);
    const blocks = [tip];
    for (let index = 0; index < 250; index += 1)
      blocks.push(
        (tip = world.chain.make(tip, {
          transactions: [pay(`${index}`, BOB, ALICE), pay(`x${index}`, BOB, CAROL)],
        })),
      );
    await world.feedBlocks(...blocks);
    await world.feedFinalize(tip);
    world.startAnalyzer();
    await world.settle();
    expect(await world.rows('SELECT status, count(*) AS count FROM transactions GROUP BY status')).toEqual([
      { status: 'confirmed', count: 250 },
    ]);
    expect(await world.rows('SELECT status, count(*) AS count FROM blocks GROUP BY status')).toEqual([
      { status: 'confirmed', count: 251 },
    ]);
    expect((await world.events()).map((event) => event.sequence)).toEqual(
      Array.from({ length: 500 }, (_, index) => index + 1),
    );
    await waitFor(() => world.bus.published.length === 500);
  });
});

describe('addresses that come meanwhile', () => {
  it('counts an address from the head of its registration, however long its transaction was open', async () => {
    await world.watch(project, CAROL);
    const one = world.chain.make(undefined, { transactions: [pay('early', BOB, ALICE)] });
    const two = world.chain.make(one, { transactions: [pay('head', BOB, ALICE)] });
    const three = world.chain.make(two, { transactions: [pay('late', BOB, ALICE)] });
    const four = world.chain.make(three, { transactions: [pay('next', BOB, ALICE)] });
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    const client = await world.db.pool.connect();
    await client.query('BEGIN');
    await world.watch(project, ALICE, client);
    await world.feedBlocks(three);
    await world.feedFinalize(two);
    await world.settle();
    expect(await world.events()).toEqual([]);
    await client.query('COMMIT');
    client.release();
    await waitFor(async () => (await world.events()).length === 3);
    expect(await types()).toEqual(['transaction.detected', 'transaction.detected', 'transaction.confirmed']);
    await world.feedBlocks(four);
    await world.settle();
    expect((await records()).map((record) => record.block_hash)).toEqual([two.hash, three.hash, four.hash]);
    expect(await types()).toEqual([
      'transaction.detected',
      'transaction.detected',
      'transaction.confirmed',
      'transaction.detected',
    ]);
  });

  it('finds what passed while it was down, and reads blocks again that it has forgotten', async () => {
    await world.watch(project, CAROL);
    const one = world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] });
    const two = world.chain.make(one, { transactions: [pay('2', BOB, ALICE)] });
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    await world.stopAnalyzer();
    await world.watch(project, ALICE);
    const three = world.chain.make(two, { transactions: [pay('3', BOB, ALICE)] });
    await world.feedBlocks(three);
    world.startAnalyzer();
    await world.settle();
    await waitFor(async () => (await world.events()).length === 2);
    expect((await records()).map((record) => record.block_hash)).toEqual([two.hash, three.hash]);
    await world.stopAnalyzer();
    world.startAnalyzer();
    await world.settle();
    expect(await world.events()).toHaveLength(2);
  });

  it('sees every registration in a database that was restored from a dump, and reads no block again for the old ones', async () => {
    await world.watch(project, BOB);
    const one = world.chain.make(undefined, { transactions: [pay('1', BOB, CAROL)] });
    const two = world.chain.make(one);
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    await world.stopAnalyzer();
    // In the dump: ids of the other server, far above those of this one; CAROL came after the analyzer's last look.
    await world.db.query(`UPDATE addresses SET watch_xid = '4000000000'`);
    await world.db.query(`UPDATE analyzer_states SET watch_xid = '4000000001'`);
    const carol = await world.watch(project, CAROL);
    await world.db.query(`UPDATE addresses SET watch_xid = '4000000002' WHERE id = $1`, [carol.id]);
    await world.db.query('UPDATE address_watches SET from_block = 1 WHERE address_id = $1', [carol.id]);
    // Restored, and the gateway was first.
    await world.watch(project, ALICE);
    const readsBefore = world.chain.reads;
    world.startAnalyzer();
    await waitFor(async () => (await records())[0]?.direction === 'self');
    expect(world.chain.reads - readsBefore).toBe(2);
    await world.watch(project, DAVE);
    await world.feedBlocks(
      world.chain.make(two, { transactions: [pay('2', CAROL, ALICE), pay('3', BOB, DAVE)] }),
    );
    await world.settle();
    expect((await records()).map((record) => record.direction)).toEqual(['self', 'self', 'self']);
  });

  it('completes the record of a transaction that the project knows already, without a second event', async () => {
    await world.watch(project, BOB);
    const one = world.chain.make(undefined);
    const two = world.chain.make(one, { transactions: [pay('1', BOB, ALICE)] });
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    expect((await records())[0]!.direction).toBe('out');
    const alice = await world.watch(project, ALICE);
    await waitFor(async () => (await records())[0]!.direction === 'self');
    expect(await world.rows('SELECT monitored_addresses FROM transfers')).toEqual([
      { monitored_addresses: expect.arrayContaining([ALICE, BOB]) },
    ]);
    expect(await world.rows('SELECT 1 FROM transaction_addresses')).toHaveLength(2);
    expect(await reads()).toContainEqual({
      address_id: alice.id,
      asset_gid: NATIVE,
      block_number: null,
      reason: 'detected',
    });
    expect(await types()).toEqual(['transaction.detected']);
    await world.feedFinalize(two);
    await world.settle();
    expect((await payloads())[1]!.data.balance_changes).toHaveLength(2);
  });

  it('leaves out what happens while an address is not monitored', async () => {
    const alice = await world.watch(project, ALICE);
    world.startAnalyzer();
    const one = world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] });
    await world.feedBlocks(one);
    await world.settle();
    await world.setMonitored(alice.id, false);
    const two = world.chain.make(one, { transactions: [pay('2', BOB, ALICE)] });
    const three = world.chain.make(two);
    await world.feedBlocks(two, three);
    await world.settle();
    await world.setMonitored(alice.id, true);
    const four = world.chain.make(three, { transactions: [pay('4', BOB, ALICE)] });
    await world.feedBlocks(four);
    await world.settle();
    expect((await records()).map((record) => record.block_hash)).toEqual([one.hash, four.hash]);
  });

  it('goes on when an address is deleted, and still undoes what it told', async () => {
    const alice = await world.watch(project, ALICE);
    world.startAnalyzer();
    const root = world.chain.make(undefined);
    const one = world.chain.make(root, { transactions: [pay('1', BOB, ALICE)] });
    await world.feedBlocks(root, one);
    await world.settle();
    await world.db.query('DELETE FROM addresses WHERE id = $1', [alice.id]);
    await world.feedBlocks(world.chain.make(one, { transactions: [pay('2', BOB, ALICE)] }));
    await world.settle();
    const two = [...world.chain.blocks.values()].at(-1)!;
    await world.feedReorg([two, one]);
    await world.settle();
    expect(await types()).toEqual(['transaction.detected', 'transaction.reorged']);
  });
});

describe('failures', () => {
  it('never skips a body that cannot be read, and says why it waits', async () => {
    await world.watch(project, ALICE);
    const one = world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] });
    world.chain.missing.add(one.hash);
    world.startAnalyzer();
    await world.feedBlocks(one, world.chain.make(one));
    await waitFor(
      async () =>
        (await world.rows<{ status: string }>('SELECT status FROM analyzer_states'))[0]?.status === 'stalled',
    );
    expect((await world.rows<{ reason: string }>('SELECT reason FROM analyzer_states'))[0]!.reason).toContain(
      one.hash,
    );
    expect(await world.analyzer!.readiness()).toMatchObject({
      [`chain ${network.gid}`]: { ok: true, status: 'stalled', reason: expect.any(String) },
    });
    world.chain.missing.clear();
    await world.settle();
    expect(await types()).toEqual(['transaction.detected']);
    expect(await world.rows('SELECT status, reason FROM analyzer_states')).toEqual([
      { status: 'following', reason: null },
    ]);
  });

  it('keeps what names a host out of the reason that clients are shown', async () => {
    await world.watch(project, ALICE);
    const one = world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] });
    world.chain.fault = new ChainClientError('eth_getBlockByHash: connect ECONNREFUSED 10.1.2.3:8545', {
      publicMessage: 'the node did not answer',
    });
    world.startAnalyzer();
    await world.feedBlocks(one);
    const reason = async () =>
      (await world.rows<{ reason: string | null }>('SELECT reason FROM analyzer_states'))[0]?.reason;
    await waitFor(async () => (await reason())?.includes('the node did not answer'));
    expect(await reason()).not.toContain('10.1.2.3');
    world.chain.fault = undefined;
    await world.settle();
  });

  it('takes the feed from messages, in any order and any number', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    await waitFor(() => ['catching_up', 'following'].includes(world.analyzer!.reports()[0]?.status ?? ''));
    const blocks = [world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] })];
    for (let index = 2; index < 6; index += 1)
      blocks.push(world.chain.make(blocks.at(-1), { transactions: [pay(`${index}`, BOB, ALICE)] }));
    await world.feedBlocks(...blocks);
    const messages = blocks.map((block, index) => ({
      schema: 1,
      seq: index + 1,
      type: 'block',
      chain_gid: network.gid,
      number: block.number,
      hash: block.hash,
      parent_hash: block.parentHash,
      timestamp: block.timestamp,
    }));
    for (const message of [messages[2], messages[0], messages[0], ...messages, messages[4]])
      world.bus.send('block.new', [network.gid], message);
    await world.settle();
    expect(await types()).toEqual(blocks.map(() => 'transaction.detected'));
  });

  it('goes on without the bus and publishes when it is back', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    await waitFor(() => ['catching_up', 'following'].includes(world.analyzer!.reports()[0]?.status ?? ''));
    world.bus.isConnected = false;
    await world.feedBlocks(world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] }));
    await world.settle();
    expect(world.bus.published).toEqual([]);
    world.bus.isConnected = true;
    await waitFor(() => world.bus.published.length === 1);
    await waitFor(async () => (await world.events())[0]!.is_published);
  });

  it('publishes what a crash left between commit and bus', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    await waitFor(() => ['catching_up', 'following'].includes(world.analyzer!.reports()[0]?.status ?? ''));
    const publish = world.bus.publish;
    world.bus.publish = () => new Promise(() => undefined);
    await world.feedBlocks(world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] }));
    await world.settle();
    await world.stopAnalyzer();
    world.bus.publish = publish;
    world.startAnalyzer();
    await waitFor(() => world.bus.published.length === 1);
    expect(world.bus.published[0]!.messageId).toBe((await world.events())[0]!.event_id);
  });

  it('publishes again what lost streams may have held', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    await world.feedBlocks(world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] }));
    await world.settle();
    await waitFor(async () => (await world.events())[0]!.is_published);
    world.bus.loseStreams();
    await waitFor(() => world.bus.published.length === 2);
    expect(new Set(world.bus.published.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('lets go when another replica took the chain over', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    const one = world.chain.make(undefined);
    await world.feedBlocks(one);
    await world.settle();
    await world.db.query(
      'UPDATE owners SET token = token + 1, owner = gen_random_uuid(), lease_until = clock_timestamp()',
    );
    await world.feedBlocks(world.chain.make(one, { transactions: [pay('1', BOB, ALICE)] }));
    await waitFor(
      async () => (await world.rows<{ token: number }>('SELECT token FROM owners'))[0]!.token >= 3,
      { message: 'the chain to be taken over anew' },
    );
    await world.settle();
    expect(await types()).toEqual(['transaction.detected']);
  });

  it('does not say that somebody else has the chain when the owners cannot be asked for', async () => {
    await world.db.query('ALTER TABLE owner_beats RENAME TO away');
    world.startAnalyzer();
    const reason = expect.stringContaining('owner_beats') as string;
    await waitFor(() => world.analyzer!.reports()[0]?.reason?.includes('owner_beats'));
    expect(world.analyzer!.reports()).toMatchObject([{ chainGid: network.gid, status: 'unknown', reason }]);
    expect(await world.analyzer!.readiness()).toMatchObject({
      [`chain ${network.gid}`]: { status: 'unknown', reason },
    });
    await world.db.query('ALTER TABLE away RENAME TO owner_beats');
  });

  it('says every 10 s that it lives, though nothing happens', async () => {
    world.startAnalyzer();
    await world.feedBlocks(world.chain.make(undefined));
    await world.settle();
    await world.db.query(`UPDATE analyzer_states SET updated_at = now() - interval '1 hour'`);
    await waitFor(
      async () =>
        (
          await world.rows<{ age: number }>(
            'SELECT extract(epoch FROM now() - updated_at)::int AS age FROM analyzer_states',
          )
        )[0]!.age < 30,
      { timeoutMs: 30_000 },
    );
  });

  it('says why a chain cannot even be opened', async () => {
    world.openFault = new ChainNotConfiguredError('10.1.2.3 is not there', {
      publicMessage: 'no endpoint is configured',
    });
    world.startAnalyzer();
    await waitFor(
      async () =>
        (await world.rows<{ reason: string | null }>('SELECT reason FROM analyzer_states'))[0]?.reason ===
        'no endpoint is configured',
    );
  });

  it('stops loudly where the feed does not link up', async () => {
    world.startAnalyzer();
    const one = world.chain.make(undefined);
    const stranger = world.chain.make({ number: 1, hash: hashOf('elsewhere') });
    await world.feedBlocks(one, stranger);
    await waitFor(
      async () =>
        (await world.rows<{ status: string }>('SELECT status FROM analyzer_states'))[0]?.status === 'stalled',
    );
    expect(await world.rows('SELECT cursor_seq FROM analyzer_states')).toEqual([{ cursor_seq: 1 }]);
    await world.db.query('UPDATE chain_feed SET parent_hash = $1 WHERE seq = 2', [one.hash]);
    await world.settle();
  });

  it('stops after the deactivation and goes on after the activation', async () => {
    world.startAnalyzer();
    const one = world.chain.make(undefined);
    await world.feedBlocks(one);
    await world.settle();
    await world.db.query('UPDATE blockchains SET is_active = false');
    await waitFor(() => world.analyzer!.reports().length === 0);
    await world.feedBlocks(world.chain.make(one));
    await world.db.query('UPDATE blockchains SET is_active = true');
    await world.settle();
  });

  it('asks once for the balances of those who came before the activation, and while it was not active', async () => {
    const asked = () =>
      world.rows<{ address: string }>(
        `SELECT a.address FROM balance_reads q JOIN addresses a ON a.id = q.address_id WHERE q.reason = 'imported' ORDER BY q.id`,
      );
    const { id } = await world.watch(project, BOB);
    await world.setMonitored(id, false);
    await world.watch(project, ALICE);
    world.startAnalyzer();
    const one = world.chain.make(undefined);
    await world.feedBlocks(one);
    await world.settle();
    expect(await asked()).toEqual([{ address: ALICE }]);
    await world.db.query('UPDATE blockchains SET is_active = false');
    await waitFor(() => world.analyzer!.reports().length === 0);
    await world.setMonitored(id, true);
    await world.feedBlocks(world.chain.make(one));
    await world.db.query('UPDATE blockchains SET is_active = true');
    await world.settle();
    expect(await asked()).toEqual([{ address: ALICE }, { address: BOB }]);
    await world.stopAnalyzer();
    world.startAnalyzer();
    await world.settle();
    expect(await asked()).toEqual([{ address: ALICE }, { address: BOB }]);
  });

  it('asks for everybody, page by page, in the order of numbers', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const { id } = await world.watch(project, `0x${index.toString(16).padStart(40, '0')}`);
      ids.push(id);
      // As texts, 1000 is before 99.
      await world.db.query('UPDATE addresses SET watch_xid = $2::text::xid8 WHERE id = $1', [
        id,
        [9, 99, 999, 1_000, 10_000, 100_000][index % 6],
      ]);
    }
    await world.db.query(
      `INSERT INTO analyzer_states (chain_gid) VALUES ($1) ON CONFLICT (chain_gid) DO UPDATE SET watch_xid = '0'`,
      [world.gid],
    );
    const { network: chainNetwork } = world.chain;
    for (let time = 0; time < 2; time += 1)
      await askForMissedBalances({
        sql: world.db,
        network: chainNetwork,
        signal: new AbortController().signal,
        pageRows: 5,
      });
    const asked = await world.rows<{ address_id: string }>('SELECT address_id FROM balance_reads');
    expect(asked.map(({ address_id }) => address_id).sort()).toEqual([...ids].sort());
  });

  it('names its events by content', async () => {
    await world.watch(project, ALICE);
    world.startAnalyzer();
    const payment = pay('1', BOB, ALICE);
    await world.feedBlocks(world.chain.make(undefined, { transactions: [payment] }));
    await world.settle();
    expect((await world.events())[0]!.event_id).toBe(
      eventIdOf({
        projectId: project,
        type: 'transaction.detected',
        chainGid: network.gid,
        hash: payment.hash,
        epoch: 0,
      }),
    );
  });
});

describe('a sender that a node told wrong', () => {
  /** Gives CAROL for every sender, until somebody looks; proved are only those that are watched. */
  const lie = () => {
    const doubted = new Set<string>();
    const proved: (string | undefined)[][] = [];
    const proveSenders = async (
      { hash }: { hash: string },
      transactions: readonly Transaction[],
    ): Promise<void> => {
      proved.push(transactions.map(({ from }) => from));
      await Promise.resolve();
      if (!transactions.some(({ from }) => from === CAROL)) return;
      doubted.add(hash);
      throw new IncompleteBlockError('sender: expected another');
    };
    const tell = (block: Block): Block => {
      if (doubted.has(block.hash)) throw new IncompleteBlockError('sender: expected another');
      return {
        ...block,
        transactions: block.transactions.map((tx) => ({
          ...tx,
          from: CAROL,
          fee: fee(CAROL),
          transfers: tx.transfers.map((each) => ({ ...each, from: CAROL })),
        })),
      };
    };
    world.chain.endpoints = [
      { label: 'liar', tell, proveSenders },
      { label: 'honest', tell: (block) => block, proveSenders },
    ];
    return proved;
  };

  it('is not told: the block is read again, from another endpoint', async () => {
    await world.watch(project, ALICE);
    const proved = lie();
    world.startAnalyzer();
    const root = world.chain.make(undefined);
    await world.feedBlocks(root);
    await world.settle();
    const next = world.chain.make(root, { transactions: [pay('1', BOB, DAVE), pay('2', BOB, ALICE)] });
    await world.feedBlocks(next);
    await world.settle();
    expect(
      (await payloads()).map(({ data }) =>
        data.transaction.transfers.map(({ from, to }) => [from?.toLowerCase(), to?.toLowerCase()]),
      ),
    ).toEqual([[[BOB, ALICE]]]);
    // Of the payment to DAVE nobody asks who made it.
    expect(proved.every((senders) => senders.length === 1)).toBe(true);
    expect([proved[0], proved.at(-1)]).toEqual([[CAROL], [BOB]]);
  });

  it('is not told to an address that is late', async () => {
    const proved = lie();
    world.startAnalyzer();
    const root = world.chain.make(undefined);
    await world.feedBlocks(root);
    const passed = world.chain.make(root, { transactions: [pay('1', BOB, ALICE)] });
    await world.feedBlocks(passed);
    await world.settle();
    expect(proved).toEqual([]);
    await world.watch(project, ALICE);
    await waitFor(async () => (await payloads()).length === 1, { message: 'the late payment to be told' });
    expect(
      (await payloads()).map(({ data }) =>
        data.transaction.transfers.map(({ from, to }) => [from?.toLowerCase(), to?.toLowerCase()]),
      ),
    ).toEqual([[[BOB, ALICE]]]);
  });
});
