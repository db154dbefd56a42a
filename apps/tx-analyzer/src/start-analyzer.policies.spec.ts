// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { EventEnvelope } from '@chainwatch/events';
import type { PostgresHandle } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

let postgres: PostgresHandle;
let world: SpecWorld;
let tip: Block | undefined;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres);
  tip = undefined;
});
afterEach(() => world.stop());

const pay = (name: string) =>
  makeTransaction(name, {
    from: BOB,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: BOB },
    transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: BOB, to: ALICE, amountRaw: 5n }],
  });

/** The next block, analysed. */
async function mine(...names: readonly string[]): Promise<Block> {
  tip = world.chain.make(tip, { transactions: names.map(pay) });
  await world.feedBlocks(tip);
  await world.settle();
  return tip;
}

/** A project that watches Alice, with a policy; undefined: none. */
async function addProject(depth?: number): Promise<string> {
  const projectId = await world.addProject();
  await world.watch(projectId, ALICE);
  await world.choosePolicy(projectId, depth);
  return projectId;
}

/** `detected 1/3` for each event of a project, in order. */
async function toldTo(projectId: string): Promise<string[]> {
  const events = (await world.events()).filter((event) => event.project_id === projectId);
  return events.map(({ payload }) => {
    const { type, data } = JSON.parse(payload) as EventEnvelope<'transaction.detected'>;
    const { confirmations, required_confirmations: required } = data.transaction;
    return `${type.slice('transaction.'.length)} ${confirmations}/${required}`;
  });
}

const settled = async (projectId: string, expected: readonly string[]): Promise<void> => {
  // What follows from the height comes behind the step.
  await world.settle();
  await eventually(async () => expect(await toldTo(projectId)).toEqual(expected));
};

async function eventually(check: () => Promise<void>): Promise<void> {
  for (let left = 200; ; left -= 1) {
    try {
      return await check();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

describe('confirmation policies', () => {
  it('confirm one transaction for each project when its own policy says, and leave blocks to the chain', async () => {
    const [none, shallow, deep] = [await addProject(), await addProject(2), await addProject(5)];
    const finalized = await addProject();
    await world.rows('INSERT INTO confirmation_policies (project_id, chain_gid) VALUES ($1, $2)', [
      finalized,
      world.gid,
    ]);
    world.startAnalyzer();
    const first = await mine('1');
    await settled(shallow, ['detected 1/2']);
    await mine();
    await settled(shallow, ['detected 1/2', 'confirmed 2/2']);
    await mine();
    for (const projectId of [none, finalized]) expect(await toldTo(projectId)).toEqual(['detected 1/3']);
    expect(await world.rows(`SELECT 1 FROM blocks WHERE status = 'confirmed'`)).toEqual([]);
    await world.feedFinalize(first);
    await world.settle();
    for (const projectId of [none, finalized]) await settled(projectId, ['detected 1/3', 'confirmed 3/3']);
    expect(await world.rows('SELECT status FROM blocks ORDER BY number LIMIT 1')).toEqual([
      { status: 'confirmed' },
    ]);
    expect(await toldTo(deep)).toEqual(['detected 1/5']);
    await mine();
    expect(await toldTo(deep)).toEqual(['detected 1/5']);
    await mine();
    await settled(deep, ['detected 1/5', 'confirmed 5/5']);
    expect(await toldTo(shallow)).toHaveLength(2);
    expect(
      await world.rows(
        'SELECT required_confirmations, confirmation_depth, status FROM transactions ORDER BY confirmation_depth',
      ),
    ).toEqual([
      { required_confirmations: 2, confirmation_depth: 2, status: 'confirmed' },
      { required_confirmations: 5, confirmation_depth: 5, status: 'confirmed' },
      { required_confirmations: 3, confirmation_depth: null, status: 'confirmed' },
      { required_confirmations: 3, confirmation_depth: null, status: 'confirmed' },
    ]);
  });

  it('confirm at once what needs one confirmation, and what is found when it has them', async () => {
    const one = await addProject(1);
    await mineUnread('1');
    await mineUnread();
    world.startAnalyzer();
    await settled(one, ['detected 2/1', 'confirmed 2/1']);
    await mine('2');
    await settled(one, ['detected 2/1', 'confirmed 2/1', 'detected 1/1', 'confirmed 1/1']);
  });

  it('tell a reorg below an unsafe policy, and confirm anew with the policy of the first detection', async () => {
    const unsafe = await addProject(1);
    world.startAnalyzer();
    const base = await mine();
    const orphan = await mine('1');
    await settled(unsafe, ['detected 1/1', 'confirmed 1/1']);
    await world.choosePolicy(unsafe, 4);
    await world.feedReorg([orphan]);
    tip = base;
    await world.settle();
    await settled(unsafe, ['detected 1/1', 'confirmed 1/1', 'reorged 0/1']);
    tip = world.chain.make(base, { transactions: [pay('1'), pay('2')] }, 'other');
    await world.feedBlocks(tip);
    await settled(unsafe, [
      'detected 1/1',
      'confirmed 1/1',
      'reorged 0/1',
      'detected 1/1',
      'detected 1/4',
      'confirmed 1/1',
    ]);
    expect(new Set((await world.events()).map((event) => event.event_id)).size).toBe(6);
  });

  it('are fixed when a transaction is detected: a change counts for later ones', async () => {
    const project = await addProject(3);
    world.startAnalyzer();
    await mine('1');
    await world.choosePolicy(project, 1);
    await mine('2');
    await settled(project, ['detected 1/3', 'detected 1/1', 'confirmed 1/1']);
    await world.choosePolicy(project, undefined);
    const third = await mine('3');
    await settled(project, [
      'detected 1/3',
      'detected 1/1',
      'confirmed 1/1',
      'detected 1/3',
      'confirmed 3/3',
    ]);
    await mine();
    await mine();
    expect(await toldTo(project)).toHaveLength(5);
    await world.feedFinalize(third);
    await world.settle();
    expect((await toldTo(project)).at(-1)).toBe('confirmed 3/3');
    expect(await toldTo(project)).toHaveLength(6);
  });

  it('have balances read in final blocks, whenever they confirm', async () => {
    const shallow = await addProject(1);
    world.startAnalyzer();
    const first = await mine('1');
    await settled(shallow, ['detected 1/1', 'confirmed 1/1']);
    const reads = () =>
      world.rows(`SELECT asset_gid, block_number, block_hash FROM balance_reads WHERE reason = 'confirmed'`);
    expect(await reads()).toEqual([]);
    await mine();
    await world.feedFinalize(first);
    await world.settle();
    expect(await reads()).toEqual([{ asset_gid: NATIVE, block_number: 1, block_hash: first.hash }]);
  });

  it('that change all the time give each transaction one of them, kept to', async () => {
    const projects = [await addProject(2), await addProject(), await addProject(4)];
    world.startAnalyzer();
    let isOver = false;
    const changes = Promise.all(
      projects.map(async (projectId, at) => {
        for (let round = at; !isOver; round += 1)
          await world.choosePolicy(projectId, [undefined, 1, 2, 6][round % 4]);
      }),
    );
    for (let number = 1; number <= 40; number += 1) {
      tip = world.chain.make(tip, { transactions: [pay(`a${number}`), pay(`b${number}`)] });
      await world.feedBlocks(tip);
      if (number === 20) {
        await world.stopAnalyzer();
        world.startAnalyzer();
      }
    }
    await world.settle();
    isOver = true;
    await changes;
    await world.stopAnalyzer();
    world.startAnalyzer();
    const check = async (): Promise<void> => {
      const rows = await world.rows<{
        block_number: number;
        required: number;
        depth: number | null;
        status: string;
        confirmed: number[];
      }>(
        `SELECT block_number, required_confirmations AS required, confirmation_depth AS depth, status,
           ARRAY(SELECT (e.payload::json #>> '{data,transaction,confirmations}')::integer FROM event_log e WHERE e.transaction_id = t.id AND e.type = 'transaction.confirmed') AS confirmed
         FROM transactions t`,
      );
      expect(rows).toHaveLength(240);
      for (const { block_number: number, required, depth, status, confirmed } of rows) {
        expect(depth === null ? required : depth).toBe(required);
        expect([1, 2, 3, 6]).toContain(required);
        const isDue = depth !== null && 40 - number + 1 >= depth;
        expect([status, confirmed.length]).toEqual(isDue ? ['confirmed', 1] : ['detected', 0]);
        if (isDue) expect(confirmed[0]).toBeGreaterThanOrEqual(depth);
      }
      expect(new Set(rows.map(({ depth }) => depth)).size).toBeGreaterThan(1);
    };
    await eventually(check);
  });
});

/** The next block, while no analyzer runs. */
async function mineUnread(...names: readonly string[]): Promise<void> {
  tip = world.chain.make(tip, { transactions: names.map(pay) });
  await world.feedBlocks(tip);
}

describe('transaction.progress', () => {
  it('counts to what is required, for projects with a channel that asks for it', async () => {
    const [asking, silent] = [await addProject(3), await addProject(3)];
    await world.askForProgress(asking);
    world.startAnalyzer();
    for (const names of [['1'], ['2'], [], [], []]) await mine(...names);
    const expected = [
      'detected 1/3',
      'detected 1/3',
      'progress 2/3',
      'confirmed 3/3',
      'progress 2/3',
      'confirmed 3/3',
    ];
    await settled(asking, expected);
    await settled(silent, ['detected 1/3', 'detected 1/3', 'confirmed 3/3', 'confirmed 3/3']);
    const events = (await world.events()).filter((event) => event.project_id === asking);
    expect(events.map((event) => event.sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(events.map((event) => event.event_id)).size).toBe(6);
  });

  it('is published when the bus is back, if it was away', async () => {
    const projectId = await addProject(3);
    await world.askForProgress(projectId);
    world.startAnalyzer();
    await mine('1');
    world.bus.isConnected = false;
    await mine();
    await settled(projectId, ['detected 1/3', 'progress 2/3']);
    world.bus.isConnected = true;
    await eventually(async () => expect(await world.rows('SELECT FROM unpublished_events')).toEqual([]));
    expect(world.bus.published.map(({ kind }) => kind)).toEqual(['tx.detected', 'tx.progress']);
  });

  it('is told whatever waits on another chain of the project', async () => {
    const project = await addProject(3);
    await world.askForProgress(project);
    await world.rows(
      `WITH b AS (INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ('eip155:1', 'evm', 'busy', 'b', '') RETURNING gid)
       INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations, block_number, detected_at)
       SELECT gen_random_uuid(), $1, gid, 'busy ' || n, 'detected', 'in', 500, n, now() + interval '1 day' FROM b, generate_series(1, 1000) AS n`,
      [project],
    );
    world.startAnalyzer();
    await mine('1');
    await mine();
    await settled(project, ['detected 1/3', 'progress 2/3']);
  });

  it('goes on to what the chain waits for, and not beyond what is required', async () => {
    const project = await addProject();
    await world.askForProgress(project);
    world.startAnalyzer();
    for (let blocks = 0; blocks < 5; blocks += 1) await mine(...(blocks === 0 ? ['1'] : []));
    await settled(project, ['detected 1/3', 'progress 2/3', 'progress 3/3']);
  });

  it('tells the newest number alone when the chain was behind, and none twice after a reorg', async () => {
    const project = await addProject(9);
    await world.askForProgress(project);
    world.startAnalyzer();
    await mine('1');
    await world.stopAnalyzer();
    const before = tip!;
    const orphans: Block[] = [];
    for (let blocks = 0; blocks < 4; blocks += 1) {
      await mineUnread();
      orphans.unshift(tip!);
    }
    world.startAnalyzer();
    await world.settle();
    await settled(project, ['detected 1/9', 'progress 5/9']);
    await world.feedReorg(orphans);
    await world.settle();
    tip = before;
    for (let blocks = 0; blocks < 5; blocks += 1) {
      tip = world.chain.make(tip, { transactions: [] }, `other ${blocks}`);
      await world.feedBlocks(tip);
      await world.settle();
      await eventually(async () =>
        expect(
          (await world.rows('SELECT 1 FROM analyzer_states WHERE cursor_hash = $1', [tip!.hash])).length,
        ).toBe(1),
      );
    }
    await eventually(async () => expect((await toldTo(project)).at(-1)).toBe('progress 6/9'));
    const told = await toldTo(project);
    expect(new Set(told).size).toBe(told.length);
    expect(told.slice(0, 2)).toEqual(['detected 1/9', 'progress 5/9']);
  });

  it('ends with the channel', async () => {
    const project = await addProject(9);
    await world.askForProgress(project);
    world.startAnalyzer();
    await mine('1');
    await mine();
    await settled(project, ['detected 1/9', 'progress 2/9']);
    await world.rows('UPDATE notification_channels SET is_archived = true');
    await mine();
    await mine();
    expect(await toldTo(project)).toEqual(['detected 1/9', 'progress 2/9']);
  });
});
