// SPDX-License-Identifier: Apache-2.0
import type { PoolClient } from 'pg';
import type { Sql } from '@chainwatch/data/db';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, OTHER_TOKEN, startPostgres, TOKEN } from '@chainwatch/data/testing';
import { runBalanceStep, type StepDeps, type StepResult } from './balance-step.ts';
import { StepWorld, type SpecAddress } from '../spec-world/spec-step-world.ts';
import { beforeStatement, storeOn } from '../spec-world/spec-store.ts';

let postgres: PostgresHandle;
let world: StepWorld;
let session: PoolClient;
let alice: SpecAddress;

const A = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const B = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
/** As EIP-55 has it. */
const A_SHOWN = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa';
const STRANGER = '0xcccccccccccccccccccccccccccccccccccccccc';

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await StepWorld.start(postgres);
  session = await world.db.pool.connect();
  alice = await world.watch(await world.addProject(), A);
});
afterEach(async () => {
  session.release();
  await world.stop();
});

const step = (limits?: StepDeps['limits'], through: Sql = session): Promise<StepResult> =>
  runBalanceStep({
    store: storeOn(through),
    client: world.chain.client(),
    clock: () => new Date(),
    signal: new AbortController().signal,
    limits,
  });

async function settle(limits?: StepDeps['limits'], through?: Sql): Promise<void> {
  for (let count = 0; count < 100; count += 1) if ((await step(limits, through)).type !== 'done') return;
  throw new Error('the work does not end');
}

describe('import', () => {
  it('reads native coin, zero too, and the active assets that are held', async () => {
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 7n }]);
    await world.db.query('DELETE FROM balance_reads WHERE reason <> $1', ['imported']);
    const bob = await world.watch(alice.projectId, B);
    await world.db.query(
      `UPDATE addresses SET display = $2, label = 'Order 7', groups = '{vip}', metadata = '{"shop": 7}' WHERE id = $1`,
      [alice.id, A_SHOWN],
    );
    await settle();
    expect([
      await world.balanceOf(alice, NATIVE),
      await world.balanceOf(alice, TOKEN),
      await world.balanceOf(alice, OTHER_TOKEN),
    ]).toEqual([0n, 7n, undefined]);
    expect([await world.balanceOf(bob, NATIVE), await world.balanceOf(bob, TOKEN)]).toEqual([0n, undefined]);
    expect(
      (await world.events()).map(({ data }) => [
        data.address,
        data.asset_gid,
        data.previous,
        data.current,
        data.delta,
      ]),
    ).toEqual([[A_SHOWN, TOKEN, null, '0.000007', null]]);
    expect((await world.events()).map(({ data }) => data.addresses)).toEqual([
      [
        {
          address_id: alice.id,
          address: A_SHOWN,
          label: 'Order 7',
          groups: ['vip'],
          metadata: { shop: 7 },
          metadata_truncated: false,
        },
      ],
    ]);
    expect(await world.countWork()).toBe(0);
  });

  it('asks for the tokens of its own project: what others have is never found by it', async () => {
    await world.advance([
      { assetGid: TOKEN, from: STRANGER, to: A, amount: 7n },
      { assetGid: TOKEN, from: STRANGER, to: B, amount: 5n },
    ]);
    await settle();
    const [own, foreign] = [
      await world.watch(alice.projectId, B),
      await world.watch(await world.addProject(), B),
    ];
    await settle();
    expect([
      await world.balanceOf(own, TOKEN),
      await world.balanceOf(foreign, TOKEN),
      await world.balanceOf(foreign, NATIVE),
    ]).toEqual([5n, undefined, 0n]);
    await world.db.query('INSERT INTO project_assets (project_id, asset_gid) VALUES ($1, $2)', [
      foreign.projectId,
      TOKEN,
    ]);
    await world.ask({ addressId: foreign.id, reason: 'imported' });
    await settle();
    expect(await world.balanceOf(foreign, TOKEN)).toBe(5n);
  });

  it('keeps a balance of zero for an asset that is known already', async () => {
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 7n }]);
    await settle();
    await world.advance([{ assetGid: TOKEN, from: A, to: STRANGER, amount: 7n }]);
    await world.db.query('DELETE FROM balance_reads');
    await world.ask({ addressId: alice.id, reason: 'imported' });
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(0n);
  });

  it('is bulk alone, and no longer when something was detected: then nobody rests', async () => {
    await world.advance([]);
    expect(await step()).toMatchObject({ type: 'done', isBulk: true });
    await world.ask({ addressId: alice.id, reason: 'imported' });
    await world.ask({ addressId: alice.id, assetGid: NATIVE, reason: 'touched' });
    expect(await step()).toMatchObject({ type: 'done', isBulk: false });
  });

  it('has its turn beside a queue of detections', async () => {
    for (let count = 0; count < 10; count += 1)
      await world.ask({ addressId: alice.id, assetGid: NATIVE, reason: 'touched' });
    const bob = await world.watch(alice.projectId, B);
    await step({ reads: 3 });
    expect(await world.balanceOf(bob, NATIVE)).toBe(0n);
    expect(await world.countWork()).toBe(7);
  });
});

describe('detection and confirmation', () => {
  it('reads at the block that asks, tells what changed, and leaves no adjustment for what transfers and fees explain', async () => {
    await settle();
    const first = await world.advance([{ assetGid: NATIVE, from: STRANGER, to: A, amount: 10n ** 18n }]);
    await settle();
    const second = await world.advance([
      { assetGid: NATIVE, from: A, to: STRANGER, amount: 4n * 10n ** 17n, fee: 10n ** 15n },
    ]);
    await settle();
    const events = await world.events();
    expect(
      events.map(({ data }) => [data.previous, data.current, data.delta, data.block_hash, data.is_confirmed]),
    ).toEqual([
      ['0', '1', '1', first.hash, false],
      ['1', '0.599', '-0.401', second.hash, false],
    ]);
    expect(events.map((event) => event.sequence)).toEqual([1, 2]);
    // A node states them.
    expect(events.map(({ data }) => data.verification)).toEqual(['attested', 'attested']);
    expect(await world.adjustmentsOf(alice, NATIVE)).toEqual([]);
    expect(world.chain.asked.map(({ at }) => at.hash)).toContain(first.hash);
  });

  it('confirms a balance without telling it again', async () => {
    const block = await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 7n }]);
    await settle();
    await world.confirm(block);
    await settle();
    expect(await world.rows('SELECT is_confirmed FROM balances WHERE asset_gid = $1', [TOKEN])).toEqual([
      { is_confirmed: true },
    ]);
    expect(await world.events()).toHaveLength(1);
  });

  it('takes the newest block of one piece of work, not the last that was asked for', async () => {
    await settle();
    const early = await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 1n }]);
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 2n }]);
    await world.confirm(early);
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(3n);
  });

  it('asks nothing for a block that a newer reading has overtaken', async () => {
    await settle();
    const early = await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 1n }]);
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 2n }]);
    await settle();
    world.chain.asked.length = 0;
    await world.ask({ addressId: alice.id, assetGid: TOKEN, block: early, reason: 'confirmed' });
    await settle();
    expect(world.chain.asked).toEqual([]);
    expect(await world.balanceOf(alice, TOKEN)).toBe(3n);
  });

  it('carries the trace on', async () => {
    await settle();
    const block = await world.advance([], [{ address: A, assetGid: NATIVE, delta: 5n }]);
    await world.ask({
      addressId: alice.id,
      assetGid: NATIVE,
      block,
      reason: 'detected',
      traceparent: '00-1-2-01',
    });
    await settle();
    expect(await world.rows('SELECT traceparent FROM event_log')).toEqual([{ traceparent: '00-1-2-01' }]);
  });

  it('reads once at the cursor when many blocks are asked for', async () => {
    for (let count = 0; count < 20; count += 1) {
      const bob = await world.watch(alice.projectId, `0x${String(count).padStart(40, 'd')}`);
      await world.advance([{ assetGid: NATIVE, from: STRANGER, to: bob.address, amount: 1n }]);
    }
    await world.db.query(`DELETE FROM balance_reads WHERE reason = 'imported'`);
    await settle();
    // The block before the cursor is the base of the one that was moved at the cursor.
    expect(new Set(world.chain.asked.map(({ at }) => at.hash))).toEqual(
      new Set([world.tip.hash, world.tip.parent?.hash]),
    );
    expect((await world.events()).length).toBe(20);
  });
});

describe('what transfers do not explain', () => {
  it('is an adjustment when a token keeps a part, from the first transfer on', async () => {
    await settle();
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 100n, received: 99n }]);
    await settle();
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 200n, received: 198n }]);
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(297n);
    expect(await world.adjustmentsOf(alice, TOKEN)).toEqual([-1n, -2n]);
  });

  it('does without the first one when the node has no state before it', async () => {
    await settle();
    world.chain.missing.add(world.tip.hash);
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 100n, received: 99n }]);
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(99n);
    expect(await world.adjustmentsOf(alice, TOKEN)).toEqual([]);
  });

  it('is an adjustment for everybody who holds a rebasing token', async () => {
    const bob = await world.watch(await world.addProject(), B);
    await world.advance([
      { assetGid: TOKEN, from: STRANGER, to: A, amount: 100n },
      { assetGid: TOKEN, from: STRANGER, to: B, amount: 50n },
    ]);
    await settle();
    await world.advance(
      [],
      [
        { address: A, assetGid: TOKEN, delta: 10n },
        { address: B, assetGid: TOKEN, delta: 5n },
      ],
      { touched: [TOKEN] },
    );
    await settle();
    expect([await world.balanceOf(alice, TOKEN), await world.balanceOf(bob, TOKEN)]).toEqual([110n, 55n]);
    expect([await world.adjustmentsOf(alice, TOKEN), await world.adjustmentsOf(bob, TOKEN)]).toEqual([
      [10n],
      [5n],
    ]);
    expect(
      (await world.events()).filter(({ data }) => data.address === B).map((event) => event.sequence),
    ).toEqual([1, 2]);
  });

  it('concerns a holder too whose first reading is still to come', async () => {
    await settle();
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 100n }]);
    await world.advance([], [{ address: A, assetGid: TOKEN, delta: 10n }], { touched: [TOKEN] });
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(110n);
  });

  it('is split when more hold the token than one piece of work may ask for', async () => {
    const holders = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        world.watch(alice.projectId, `0x${String(index).padStart(40, 'e')}`),
      ),
    );
    await world.advance(
      holders.map(({ address }) => ({ assetGid: TOKEN, from: STRANGER, to: address, amount: 5n })),
    );
    await settle();
    await world.advance(
      [],
      holders.map(({ address }) => ({ address, assetGid: TOKEN, delta: 1n })),
      { touched: [TOKEN] },
    );
    await settle({ targets: 4 });
    expect(await Promise.all(holders.map((holder) => world.balanceOf(holder, TOKEN)))).toEqual(
      holders.map(() => 6n),
    );
  });

  it('is corrected when transactions of blocks already passed are stored late', async () => {
    await settle();
    const bob = await world.watch(alice.projectId, B);
    await settle();
    const passed = world.mine([{ assetGid: NATIVE, from: STRANGER, to: B, amount: 9n }]);
    await world.analyze(passed, { overlooked: [bob.id], changed: [{ id: bob.id, assetGid: NATIVE }] });
    await settle();
    expect(await world.adjustmentsOf(bob, NATIVE)).toEqual([9n]);
    await world.analyzeRetroactively(passed, [bob.id]);
    await settle();
    expect(await world.adjustmentsOf(bob, NATIVE)).toEqual([]);
    expect(await world.balanceOf(bob, NATIVE)).toBe(9n);
  });

  it('is corrected also after many later readings', async () => {
    await settle();
    const bob = await world.watch(alice.projectId, B);
    await settle();
    const passed = world.mine([{ assetGid: NATIVE, from: STRANGER, to: B, amount: 9n }]);
    await world.analyze(passed, { overlooked: [bob.id], changed: [{ id: bob.id, assetGid: NATIVE }] });
    await settle();
    for (let count = 0; count < 40; count += 1) {
      await world.advance([{ assetGid: NATIVE, from: STRANGER, to: B, amount: 1n }]);
      await settle();
    }
    expect(await world.adjustmentsOf(bob, NATIVE)).toEqual([9n]);
    await world.analyzeRetroactively(passed, [bob.id]);
    await settle();
    expect(await world.adjustmentsOf(bob, NATIVE)).toEqual([]);
  });

  it('is what a log left behind that names an address and is no transfer', async () => {
    await settle();
    const block = await world.advance([], [{ address: A, assetGid: TOKEN, delta: 7n }]);
    await world.ask({ addressId: alice.id, assetGid: TOKEN, block, reason: 'mentioned' });
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(7n);
    expect(await world.adjustmentsOf(alice, TOKEN)).toEqual([7n]);
    expect((await world.events()).map(({ data }) => [data.asset_gid, data.current, data.changes])).toEqual([
      [TOKEN, '0.000007', [expect.objectContaining({ reason: 'adjustment', amount: '0.000007' })]],
    ]);
  });

  it('is none where such a log left nothing: the asset stays unknown on the address', async () => {
    await settle();
    const block = await world.advance();
    await world.ask({ addressId: alice.id, assetGid: TOKEN, block, reason: 'mentioned' });
    await world.ask({ addressId: alice.id, assetGid: TOKEN, reason: 'imported' });
    await settle();
    expect([await world.balanceOf(alice, TOKEN), await world.countWork()]).toEqual([undefined, 0]);
  });

  it('is what such a log took, of a balance that is known', async () => {
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 7n }]);
    await settle();
    const block = await world.advance([], [{ address: A, assetGid: TOKEN, delta: -7n }]);
    await world.ask({ addressId: alice.id, assetGid: TOKEN, block, reason: 'mentioned' });
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(0n);
  });

  it('is found over a long time without a reading, too', async () => {
    await settle();
    for (let count = 0; count < 5; count += 1)
      await world.advance([{ assetGid: NATIVE, from: STRANGER, to: A, amount: 2n }]);
    await world.db.query('DELETE FROM balance_reads');
    await world.db.query('UPDATE balance_history SET block_number = block_number - 90');
    await world.ask({ addressId: alice.id, assetGid: NATIVE, reason: 'touched' });
    await world.db.query(
      'UPDATE blocks SET number = number + 1000; UPDATE transactions SET block_number = block_number + 1000; UPDATE analyzer_states SET cursor_number = cursor_number + 1000',
    );
    await settle();
    expect(await world.balanceOf(alice, NATIVE)).toBe(10n);
    expect(await world.adjustmentsOf(alice, NATIVE)).toEqual([]);
  });
});

describe('reorg', () => {
  it('removes history and adjustments of orphans, reads again and tells it', async () => {
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 100n }]);
    await settle();
    const orphan = await world.advance([
      { assetGid: TOKEN, from: STRANGER, to: A, amount: 50n, received: 40n },
    ]);
    await settle();
    expect(await world.adjustmentsOf(alice, TOKEN)).toEqual([-10n]);
    await world.orphan(orphan);
    await world.undo(orphan);
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(100n);
    expect(await world.adjustmentsOf(alice, TOKEN)).toEqual([]);
    expect(await world.rows('SELECT 1 FROM balance_history WHERE block_hash = $1', [orphan.hash])).toEqual(
      [],
    );
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 1n }]);
    await settle();
    expect((await world.events()).map(({ data }) => data.current)).toEqual([
      '0.0001',
      '0.00014',
      '0.0001',
      '0.000101',
    ]);
    expect(await world.adjustmentsOf(alice, TOKEN)).toEqual([]);
  });

  it('explains a block that comes back by what is known of it then', async () => {
    await settle();
    const block = world.mine([{ assetGid: NATIVE, from: A, to: A, amount: 0n, fee: 1n }]);
    await world.analyze(block, { overlooked: [alice.id] });
    await world.ask({ addressId: alice.id, assetGid: NATIVE, reason: 'touched' });
    await settle();
    expect(await world.adjustmentsOf(alice, NATIVE)).toEqual([-1n]);
    await world.orphan(block);
    await world.undo(block);
    world.tip = block;
    await world.analyze(block);
    await settle();
    expect(await world.balanceOf(alice, NATIVE)).toBe(-1n);
    expect(await world.adjustmentsOf(alice, NATIVE)).toEqual([]);
  });

  it('waits while the ingestor knows of it and the analyzer does not yet', async () => {
    await settle();
    const orphan = await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 50n }]);
    await world.orphan(orphan);
    world.chain.asked.length = 0;
    expect(await step()).toMatchObject({ type: 'waiting', reason: expect.stringContaining('orphaned') });
    await world.undo(orphan);
    await settle();
    expect(world.chain.asked.map(({ at }) => at.hash)).not.toContain(orphan.hash);
    expect(await world.balanceOf(alice, TOKEN)).toBe(0n);
    expect(await world.events()).toEqual([]);
  });

  it('throws answers away when a block was orphaned while the chain was asked', async () => {
    await settle();
    const orphan = await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 50n }]);
    world.chain.onRead = () => world.orphan(orphan);
    expect((await step()).type).toBe('waiting');
    expect(await world.events()).toEqual([]);
    world.chain.onRead = undefined;
    await world.undo(orphan);
    const better = world.mine([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 60n }]);
    await world.analyze(better);
    await settle();
    expect((await world.events()).map(({ data }) => [data.current, data.block_hash])).toEqual([
      ['0.00006', better.hash],
    ]);
  });

  it('writes nothing of a block that was undone after the plan was made, and came back', async () => {
    await settle();
    const block = world.mine([{ assetGid: NATIVE, from: STRANGER, to: A, amount: 8n }]);
    await world.analyze(block, { overlooked: [alice.id], changed: [{ id: alice.id, assetGid: NATIVE }] });
    const restart = async (): Promise<void> => {
      await world.orphan(block);
      await world.undo(block);
      world.tip = block;
      await world.analyze(block);
    };
    await settle({}, beforeStatement(session, /^BEGIN$/, restart));
    expect(await world.balanceOf(alice, NATIVE)).toBe(8n);
    expect(await world.adjustmentsOf(alice, NATIVE)).toEqual([]);
  });

  it('is undone only once what was read there is written', async () => {
    await settle();
    const block = await world.advance([], [{ address: A, assetGid: NATIVE, delta: 8n }], {
      changed: [{ id: alice.id, assetGid: NATIVE }],
    });
    let isUndone = false;
    let undoing: Promise<void> | undefined;
    const undo = async (): Promise<void> => {
      // The ingestor has found the block canonical again already, as it may while the analyzer is behind.
      undoing = world.undo(block).then(() => void (isUndone = true));
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await waitFor(async () => isUndone || (await world.rows(waiting)).length > 0, {
        message: 'the undoing to wait for what was read',
      });
      expect(isUndone).toBe(false);
    };
    await step({}, beforeStatement(session, /INSERT INTO adjustments/, undo));
    await undoing;
    expect(
      await world.rows(
        'SELECT 1 FROM balance_history WHERE block_hash = $1 UNION ALL SELECT 1 FROM adjustments',
        [block.hash],
      ),
    ).toEqual([]);
    expect([isUndone, await world.countWork()]).toEqual([true, 1]);
    await settle();
    expect(await world.balanceOf(alice, NATIVE)).toBe(0n);
  });

  it('takes a contract that went with an orphan for an empty balance', async () => {
    const orphan = await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 50n }]);
    await settle();
    await world.orphan(orphan);
    await world.undo(orphan);
    world.chain.deaf.add(TOKEN);
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(0n);
    expect((await world.events()).map(({ data }) => data.current)).toEqual(['0.00005', '0']);
  });

  it('tells nothing while the chain recovers from one below finality', async () => {
    await settle();
    await world.advance([{ assetGid: NATIVE, from: STRANGER, to: A, amount: 5n }]);
    await world.hold(true);
    expect((await step()).type).toBe('waiting');
    expect(await world.balanceOf(alice, NATIVE)).toBe(0n);
    await world.hold(false);
    await settle();
    expect((await world.events()).map(({ data }) => data.current)).toEqual(['0.000000000000000005']);
  });

  it('tells nothing when the recovery begins while the chain is asked', async () => {
    await settle();
    await world.advance([{ assetGid: NATIVE, from: STRANGER, to: A, amount: 5n }]);
    world.chain.onRead = () => world.hold(true);
    expect((await step()).type).toBe('waiting');
    expect(await world.events()).toEqual([]);
  });
});

describe('the node', () => {
  it('reads at the cursor when the state of a block is gone', async () => {
    await settle();
    const pruned = await world.advance([{ assetGid: NATIVE, from: STRANGER, to: A, amount: 5n }]);
    await world.advance([{ assetGid: NATIVE, from: STRANGER, to: STRANGER, amount: 1n }]);
    world.chain.missing.add(pruned.hash);
    await settle();
    expect((await world.events()).map(({ data }) => data.block_hash)).toEqual([world.tip.hash]);
  });

  it('keeps the work while it does not have the cursor', async () => {
    await settle();
    const block = await world.advance([{ assetGid: NATIVE, from: STRANGER, to: A, amount: 5n }]);
    world.chain.missing.add(block.hash);
    await expect(step()).rejects.toThrow('no state');
    expect(await world.countWork()).toBe(1);
    world.chain.missing.clear();
    await settle();
    expect(await world.balanceOf(alice, NATIVE)).toBe(5n);
  });

  it('is never asked beyond the cursor of the analyzer', async () => {
    world.mine([{ assetGid: NATIVE, from: STRANGER, to: A, amount: 5n }]);
    await settle();
    expect(world.chain.asked.map(({ at }) => at.number)).toEqual([100]);
    expect(await world.balanceOf(alice, NATIVE)).toBe(0n);
  });

  it('moves what it cannot answer to the end, so that the rest gets through', async () => {
    await settle();
    const bob = await world.watch(alice.projectId, B);
    await world.db.query('DELETE FROM balance_reads');
    await world.ask({ addressId: alice.id, assetGid: TOKEN, reason: 'touched' });
    await world.ask({ addressId: bob.id, assetGid: NATIVE, reason: 'touched' });
    world.chain.isDown = true;
    await expect(step({ reads: 1 })).rejects.toThrow('down');
    world.chain.isDown = false;
    await step({ reads: 1 });
    expect(await world.balanceOf(bob, NATIVE)).toBe(0n);
    expect(await world.countWork()).toBe(1);
  });
});

describe('what is not read', () => {
  it('leaves a contract that does not answer as it was', async () => {
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 7n }]);
    await settle();
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 7n }]);
    world.chain.deaf.add(TOKEN);
    await settle();
    expect(await world.balanceOf(alice, TOKEN)).toBe(7n);
    expect(await world.countWork()).toBe(0);
  });

  it('passes over an asset that is not active, until it is', async () => {
    await world.advance([{ assetGid: OTHER_TOKEN, from: STRANGER, to: A, amount: 7n }]);
    await settle();
    expect([await world.balanceOf(alice, OTHER_TOKEN), await world.countWork()]).toEqual([undefined, 0]);
    await world.db.query(`UPDATE assets SET status = 'active', decimals = 2 WHERE gid = $1`, [OTHER_TOKEN]);
    await world.ask({ addressId: alice.id, assetGid: OTHER_TOKEN, reason: 'touched' });
    await settle();
    expect((await world.events()).map(({ data }) => data.current)).toEqual(['0.07']);
  });

  it('passes over a collection: what its contract counts is no amount', async () => {
    await world.db.query(`UPDATE assets SET type = 'nft', decimals = NULL WHERE gid = $1`, [TOKEN]);
    await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 777_777n }]);
    await settle();
    expect([await world.balanceOf(alice, TOKEN), await world.countWork()]).toEqual([undefined, 0]);
    expect((await world.events()).filter(({ data }) => data.asset_gid === TOKEN)).toEqual([]);
  });

  it('passes over an archived asset and an address that is not monitored', async () => {
    const bob = await world.watch(alice.projectId, B);
    await world.db.query(
      'INSERT INTO project_assets (project_id, asset_gid, archived_at) VALUES ($1, $2, now())',
      [alice.projectId, TOKEN],
    );
    await world.db.query('UPDATE addresses SET is_monitored = false WHERE id = $1', [bob.id]);
    await world.advance([
      { assetGid: TOKEN, from: STRANGER, to: A, amount: 7n },
      { assetGid: NATIVE, from: STRANGER, to: B, amount: 7n },
    ]);
    await settle();
    expect([
      await world.balanceOf(alice, TOKEN),
      await world.balanceOf(bob, NATIVE),
      await world.countWork(),
    ]).toEqual([undefined, undefined, 0]);
  });

  it('reads for one project what another one archived', async () => {
    const bob = await world.watch(await world.addProject(), A);
    await world.db.query(
      'INSERT INTO project_assets (project_id, asset_gid, archived_at) VALUES ($1, $2, now()), ($1, $3, now())',
      [bob.projectId, TOKEN, NATIVE],
    );
    await world.advance([
      { assetGid: TOKEN, from: STRANGER, to: A, amount: 7n },
      { assetGid: NATIVE, from: STRANGER, to: A, amount: 9n },
    ]);
    await settle();
    expect([await world.balanceOf(alice, TOKEN), await world.balanceOf(alice, NATIVE)]).toEqual([7n, 9n]);
    expect([
      await world.balanceOf(bob, TOKEN),
      await world.balanceOf(bob, NATIVE),
      await world.countWork(),
    ]).toEqual([undefined, undefined, 0]);
    expect([...new Set((await world.events()).map((event) => event.project_id))]).toEqual([alice.projectId]);
  });

  it('drops the reading of an address that is deleted while the chain is asked, without a hole in the sequences', async () => {
    const bob = await world.watch(alice.projectId, B);
    await settle();
    await world.advance([
      { assetGid: NATIVE, from: STRANGER, to: A, amount: 7n },
      { assetGid: NATIVE, from: STRANGER, to: B, amount: 7n },
    ]);
    world.chain.onRead = async () =>
      void (await world.db.query('DELETE FROM addresses WHERE id = $1', [bob.id]));
    await settle();
    expect((await world.events()).map((event) => [event.data.address, event.sequence])).toEqual([[A, 1]]);
    expect(await world.countWork()).toBe(0);
  });
});
