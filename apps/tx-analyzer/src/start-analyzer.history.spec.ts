// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  ChainClientError,
  type Block,
  type Transaction,
  type Transfer,
} from '@chainwatch/chain-core';
import { EVENT_SCHEMAS, eventIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, TOKEN } from '@chainwatch/data/testing';
import { HistoryTurns } from './history/history-turn.ts';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { MortalDatabase } from './spec-world/spec-mortal-database.ts';
import type { SpecAddress } from './spec-world/spec-database.ts';
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

const move = (from: string, to: string, more: Partial<Transfer> = {}): Transfer => ({
  index: 0,
  type: 'native',
  assetGid: NATIVE,
  from,
  to,
  amountRaw: 5n,
  ...more,
});
const pay = (name: string, from: string, to: string, more: Partial<Transaction> = {}) =>
  makeTransaction(name, {
    from,
    to,
    fee: { assetGid: NATIVE, amountRaw: 21n, payer: from },
    transfers: [move(from, to)],
    ...more,
  });

/** A chain of blocks with these transactions, analysed. */
async function play(contents: readonly (readonly Transaction[])[], finalized = contents.length) {
  const blocks: Block[] = [];
  for (const transactions of contents) blocks.push(world.chain.make(blocks.at(-1), { transactions }));
  await world.feedBlocks(...blocks);
  if (finalized > 0) await world.feedFinalize(blocks[finalized - 1]!);
  return blocks;
}

/** What the gateway does for an import with a history. */
async function importAddress(address: string, fromBlock = 0, by = project): Promise<SpecAddress> {
  return world.db.transaction(async (sql) => {
    const added = await world.watch(by, address, sql);
    await world.askForHistory(added, fromBlock, sql);
    return added;
  });
}

const jobs = () =>
  world.rows<{ status: string; reason: string | null }>(
    'SELECT status, from_block, next_block, to_block, transaction_count, reason FROM address_histories ORDER BY created_at',
  );
const untilComplete = () =>
  waitFor(async () => (await jobs()).every(({ status }) => status === 'complete'), {
    intervalMs: 10,
    message: 'the history to be complete',
  });
const events = async () =>
  (await world.events()).map((event) => ({
    ...event,
    envelope: EVENT_SCHEMAS[event.type as 'transaction.confirmed'].parse(JSON.parse(event.payload)),
  }));
const records = () =>
  world.rows(
    `SELECT hash, status, direction, block_number, confirmed_at IS NOT NULL AS is_final,
       ARRAY(SELECT a.address FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id WHERE ta.transaction_id = t.id ORDER BY 1) AS participants
     FROM transactions t ORDER BY block_number, tx_index`,
  );

const one = pay('1', BOB, ALICE);
const two = pay('2', ALICE, CAROL, {
  transfers: [
    move(ALICE, CAROL),
    move(CAROL, ALICE, { index: 1, type: 'token', assetGid: TOKEN, logIndex: 0 }),
  ],
});
const failed = pay('failed', ALICE, BOB, { isFailed: true, transfers: [] });
const foreign = pay('foreign', BOB, CAROL);

describe('the history of an address', () => {
  it.each([
    ['does not have', new BlockNotFoundError('no such transaction')],
    ['refuses to list', new ChainClientError('too many results', { nodeCode: -32_000 })],
  ])('is read although the node %s that of somebody else at the same block', async (_, error) => {
    world.chain.findBlocksOf = async ({ addresses, fromBlock, toBlock }) => {
      if (addresses.includes(CAROL)) throw error;
      const refs = [...world.chain.blocks.values()].filter(
        ({ number }) => number >= fromBlock && number <= toBlock,
      );
      return { refs, toBlock };
    };
    world.startAnalyzer();
    await play([[one], [two]]);
    await world.settle();
    const other = await world.addProject();
    const [carol, alice] = await world.db.transaction(async (sql) => {
      const added = [await world.watch(other, CAROL, sql), await world.watch(project, ALICE, sql)] as const;
      for (const address of added) await world.askForHistory(address, 1, sql);
      return added;
    });
    const stateOf = async ({ id }: SpecAddress) =>
      (
        await world.rows<{ status: string; reason: string | null; failure_count: number }>(
          'SELECT status, reason, failure_count FROM address_histories WHERE address_id = $1',
          [id],
        )
      )[0]!;
    await waitFor(async () => (await stateOf(alice)).status === 'complete', {
      message: 'the history of ALICE',
    });
    expect(await records()).toContainEqual(
      expect.objectContaining({ hash: one.hash, participants: [ALICE] }),
    );
    await waitFor(async () => (await stateOf(carol)).reason !== null, { message: 'the reason of the other' });
    expect((await stateOf(carol)).status).not.toBe('complete');
  });

  it('finds what was final, as confirmed alone, and publishes nothing', async () => {
    world.startAnalyzer();
    await play([[one, foreign], [two], [failed], []]);
    await world.settle();
    const alice = await importAddress(ALICE, 1);
    await untilComplete();
    expect(await records()).toEqual([
      {
        hash: one.hash,
        status: 'confirmed',
        direction: 'in',
        block_number: 1,
        is_final: true,
        participants: [ALICE],
      },
      {
        hash: two.hash,
        status: 'confirmed',
        direction: 'out',
        block_number: 2,
        is_final: true,
        participants: [ALICE],
      },
      {
        hash: failed.hash,
        status: 'failed',
        direction: 'out',
        block_number: 3,
        is_final: true,
        participants: [ALICE],
      },
    ]);
    const told = await events();
    expect(told.map(({ type, envelope }) => [type, envelope.data.transaction.hash])).toEqual([
      ['transaction.confirmed', one.hash],
      ['transaction.confirmed', two.hash],
    ]);
    for (const { envelope, is_published, sequence } of told) {
      expect(envelope).toMatchObject({ is_historical: true, sequence: null });
      expect({ is_published, sequence }).toEqual({ is_published: true, sequence: null });
    }
    expect(told[0]!.envelope.data).toMatchObject({
      transaction: {
        status: 'confirmed',
        confirmations: 4,
        transfers: [{ amount_raw: '5', monitored_addresses: [ALICE] }],
      },
      balance_changes: [{ address_id: alice.id, delta_raw: '5' }],
    });
    expect(world.bus.published).toEqual([]);
    expect(await world.rows('SELECT FROM undispatched_events')).toEqual([]);
    expect(await jobs()).toEqual([
      { status: 'complete', from_block: 1, next_block: 4, to_block: 3, transaction_count: 3, reason: null },
    ]);
  });

  it('meets the head without a gap and without a second event', async () => {
    world.startAnalyzer();
    const blocks = await play([[one], [two]], 1);
    await world.settle();
    await importAddress(ALICE, 0);
    const three = pay('3', BOB, ALICE);
    const next = world.chain.make(blocks.at(-1), { transactions: [three] });
    await world.feedBlocks(next);
    await world.settle();
    // Block 2 is the head at the import: it is the head's, and not final.
    await untilComplete();
    await world.feedFinalize(next);
    await world.settle();
    expect(
      (await events()).map(({ type, sequence, envelope }) => [
        type,
        envelope.data.transaction.hash,
        sequence,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['transaction.confirmed', one.hash, null],
        ['transaction.detected', two.hash, 1],
        ['transaction.detected', three.hash, 2],
        ['transaction.confirmed', two.hash, 3],
        ['transaction.confirmed', three.hash, 4],
      ]),
    );
    expect(await events()).toHaveLength(5);
    expect(await records()).toHaveLength(3);
  });

  it('reads final blocks only', async () => {
    world.startAnalyzer();
    const blocks = await play([[one], [two], [], []], 1);
    await world.settle();
    await importAddress(ALICE, 1);
    await waitFor(async () => (await records()).length === 1, { message: 'the final block' });
    expect(await jobs()).toMatchObject([{ status: 'running', next_block: 2, to_block: 3 }]);
    await world.feedFinalize(blocks[2]!);
    await untilComplete();
    expect(await records()).toHaveLength(2);
  });

  it('adds to a record of another address of the project, without another event', async () => {
    const bob = await world.watch(project, BOB);
    world.startAnalyzer();
    await play([[one], []]);
    await world.settle();
    const before = await events();
    await importAddress(ALICE, 1);
    await untilComplete();
    expect(await records()).toMatchObject([{ direction: 'self', participants: [ALICE, BOB] }]);
    expect((await events()).map(({ event_id }) => event_id)).toEqual(before.map(({ event_id }) => event_id));
    expect(bob.projectId).toBe(project);
  });

  it('is the same event as the head would have made', async () => {
    const other = await world.addProject();
    await world.watch(other, ALICE);
    world.startAnalyzer();
    await play([[one], [two], []]);
    await world.settle();
    await importAddress(ALICE, 1);
    await untilComplete();
    const all = await events();
    const confirmedOf = (projectId: string) =>
      all.filter((event) => event.project_id === projectId && event.type === 'transaction.confirmed');
    const strip = ({ envelope }: (typeof all)[number]) => {
      const {
        id: _id,
        detected_at: _detected,
        confirmed_at: _confirmed,
        confirmations: _count,
        ...transaction
      } = envelope.data.transaction;
      return {
        ...transaction,
        changes: envelope.data.balance_changes.map(({ address_id: _address, ...change }) => change),
      };
    };
    expect(confirmedOf(project).map(strip)).toEqual(confirmedOf(other).map(strip));
    expect(confirmedOf(project).map(({ event_id }) => event_id)).toEqual(
      [one, two].map(({ hash }) =>
        eventIdOf({ projectId: project, type: 'transaction.confirmed', chainGid: world.gid, hash, epoch: 0 }),
      ),
    );
  });

  it('is undone by a reorg below finality', async () => {
    world.startAnalyzer();
    const blocks = await play([[], [one], []]);
    await world.settle();
    await importAddress(ALICE, 1);
    await untilComplete();
    await world.feedReorg([blocks[2]!, blocks[1]!], world.seq + 4);
    const again = world.chain.make(blocks[0], { transactions: [foreign, one] }, 'again');
    await world.feedBlocks(again, world.chain.make(again));
    await world.settle();
    await waitFor(async () => (await events()).length === 3, { message: 'the events' });
    expect((await events()).map(({ type, envelope }) => [type, envelope.is_historical ?? false])).toEqual([
      ['transaction.confirmed', true],
      ['transaction.reorged', false],
      ['transaction.detected', false],
    ]);
    expect(await records()).toMatchObject([{ status: 'detected', block_number: 2 }]);
  });

  it('asks for balances that nobody read, and for no others', async () => {
    world.startAnalyzer();
    await play([[two], []]);
    await world.settle();
    const { id } = await importAddress(ALICE, 1);
    await untilComplete();
    const reads = () =>
      world.rows<{ asset_gid: string }>(
        `SELECT asset_gid FROM balance_reads WHERE address_id = $1 AND reason = 'detected' ORDER BY asset_gid`,
        [id],
      );
    expect((await reads()).map((read) => read.asset_gid)).toEqual([TOKEN, NATIVE].sort());
    await world.db.query('DELETE FROM balance_reads');
    await world.db.query(
      `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash)
       SELECT $1, gid, chain_gid, 1, 2, 'x' FROM assets`,
      [id],
    );
    await world.askForHistory({ id, address: ALICE, projectId: project }, 1);
    await untilComplete();
    expect(await reads()).toEqual([]);
    expect(await events()).toHaveLength(1);
  });
});

function makeGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('a chain that falls behind', () => {
  it('has all of its node: history reads no further until the head is reached again', async () => {
    const final = 30;
    const gates = { history: makeGate(), head: makeGate() };
    const read = { history: [] as number[], head: [] as number[] };
    let isAsked = false;
    const connect = world.chain.client.bind(world.chain);
    world.chain.client = () => {
      const client = connect();
      const readBlock = client.readBlock.bind(client);
      return Object.assign(client, {
        readBlock: async (...args: Parameters<typeof readBlock>) => {
          const { number } = args[0];
          const kind = number < final ? 'history' : 'head';
          // The last one is read again for the address, as the head when it was imported.
          if (isAsked && number !== final) {
            read[kind].push(number);
            await gates[kind].opened;
          }
          return readBlock(...args);
        },
      });
    };
    world.startAnalyzer();
    const blocks = await play(Array.from({ length: final }, (_, number) => [pay(`h ${number}`, BOB, ALICE)]));
    await world.settle();
    isAsked = true;
    await importAddress(ALICE, 1);
    await waitFor(() => read.history.length === 8, { message: 'the first blocks of history' });
    const news: Block[] = [];
    for (let number = 0; number < 20; number += 1)
      news.push(
        world.chain.make(news.at(-1) ?? blocks.at(-1), { transactions: [pay(`n ${number}`, BOB, ALICE)] }),
      );
    await world.feedBlocks(...news);
    await waitFor(() => read.head.length > 10, { message: 'the head to be behind' });
    gates.history.open();
    // Without a pause the next blocks were asked for at once.
    for (let look = 0; look < 20; look += 1) {
      expect(await jobs()).toMatchObject([{ next_block: 1, transaction_count: 0 }]);
      expect(read.history).toHaveLength(8);
    }
    gates.head.open();
    await untilComplete();
    await world.settle();
    expect(await records()).toHaveLength(final + news.length);
    expect([...new Set(read.history)].sort((a, b) => a - b)).toEqual(
      blocks.slice(0, -1).map(({ number }) => number),
    );
  });
});

describe('an address whose monitoring is paused while its history is read', () => {
  it('has all of its past once it is monitored again', async () => {
    const gate = makeGate();
    const read: number[] = [];
    let isAsked = false;
    const tell = (block: Block): Block => (isAsked && read.push(block.number), block);
    world.chain.endpoints = [{ label: 'spec', tell }];
    const connect = world.chain.client.bind(world.chain);
    world.chain.client = () => {
      const client = connect();
      const readBlock = client.readBlock.bind(client);
      return Object.assign(client, {
        readBlock: async (...args: Parameters<typeof readBlock>) => {
          const block = await readBlock(...args);
          if (isAsked) await gate.opened;
          return block;
        },
      });
    };
    world.startAnalyzer();
    const contents = Array.from({ length: 30 }, (_, number) => [pay(`h ${number}`, BOB, ALICE)]);
    const blocks = await play(contents);
    await world.settle();
    isAsked = true;
    const { id } = await importAddress(ALICE, 1);
    await waitFor(() => read.includes(1), { message: 'the first blocks of history' });
    await world.setMonitored(id, false);
    gate.open();
    // What was under way then is read to its end, but is nobody's.
    await waitFor(() => read.includes(29), { message: 'the last blocks of history' });
    await world.feedBlocks(world.chain.make(blocks.at(-1)));
    await world.settle();
    await world.setMonitored(id, true);
    await untilComplete();
    expect((await records()).map((record) => (record as { hash: string }).hash)).toEqual(
      contents.map(([transaction]) => transaction!.hash),
    );
  });
});

describe('a node that does not have the range', () => {
  it('fails with a sentence, and goes on when it is asked again', async () => {
    world.startAnalyzer();
    const [, second] = await play([[one], [two], []]);
    await world.settle();
    world.chain.missing.add(second!.hash);
    const alice = await importAddress(ALICE, 1);
    // Not half a minute of waits.
    const hurry = setInterval(
      () =>
        void world.db
          .query(`UPDATE address_histories SET due_at = now() WHERE status <> 'failed'`)
          .catch(() => undefined),
      50,
    );
    try {
      await waitFor(async () => (await jobs())[0]?.status === 'failed', { message: 'the failure' });
    } finally {
      clearInterval(hurry);
    }
    const [job] = await jobs();
    expect(job).toMatchObject({
      from_block: 1,
      next_block: 1,
      reason: expect.stringMatching(/^no block .*pruned the range/),
    });
    expect(
      await world.rows("SELECT FROM address_histories WHERE due_at > now() + interval '50 minutes'"),
    ).toHaveLength(1);
    world.chain.missing.clear();
    await world.askForHistory(alice, 1);
    await untilComplete();
    expect(await records()).toHaveLength(2);
  });

  it('does not stop the head, nor the history of another address', async () => {
    world.startAnalyzer();
    const blocks = await play([[one], [two], []]);
    await world.settle();
    world.chain.missing.add(blocks[0]!.hash);
    await importAddress(ALICE, 1);
    await importAddress(CAROL, 2);
    await waitFor(async () => (await jobs()).some(({ status }) => status === 'complete'), {
      message: 'the other',
    });
    const next = world.chain.make(blocks.at(-1), { transactions: [pay('3', BOB, ALICE)] });
    await world.feedBlocks(next);
    await world.settle();
    expect((await events()).map(({ type }) => type)).toContain('transaction.detected');
    expect((await jobs())[0]).toMatchObject({
      status: 'running',
      reason: expect.stringMatching(/^no block/),
    });
  });
});

describe('a process that dies', () => {
  it.each([1, 4, 7, 10, 13, 16, 20, 25, 30])(
    'at statement %i loses nothing and repeats nothing',
    async (statements) => {
      const mortal = new MortalDatabase();
      world.startAnalyzer(mortal);
      const contents = Array.from({ length: 30 }, (_, number) => [pay(`many ${number}`, BOB, ALICE)]);
      await play([...contents, []]);
      await world.settle();
      await importAddress(ALICE, 1);
      mortal.killAt(statements, statements % 2 === 0);
      await waitFor(async () => mortal.isDead || (await jobs())[0]?.status === 'complete', {
        message: 'the end',
      });
      await world.stopAnalyzer();
      world.startAnalyzer();
      await untilComplete();
      expect((await records()).map((record) => (record as { hash: string }).hash)).toEqual(
        contents.map(([transaction]) => transaction!.hash),
      );
      const told = await events();
      expect(told.map(({ envelope }) => envelope.data.transaction.block_number)).toEqual(
        contents.map((_, number) => number + 1),
      );
    },
  );
});

describe('two replicas', () => {
  it('read a block once, and the other one goes on where the owner died', async () => {
    const mortal = new MortalDatabase();
    world.startAnalyzer(mortal);
    const first = world.analyzer!;
    const contents = Array.from({ length: 150 }, (_, number) => [pay(`many ${number}`, BOB, ALICE)]);
    await play([...contents, []]);
    await world.settle();
    world.startAnalyzer();
    await importAddress(ALICE, 1);
    await waitFor(async () => (await records()).length > 0, { intervalMs: 1, message: 'a first step' });
    mortal.isDead = true;
    for (const table of ['owners', 'owner_beats'])
      await world.db.query(`UPDATE ${table} SET lease_until = clock_timestamp()`);
    await untilComplete();
    await first.stop();
    const told = await events();
    expect(told.map(({ envelope }) => envelope.data.transaction.hash).sort()).toEqual(
      contents.map(([transaction]) => transaction!.hash).sort(),
    );
    expect(await records()).toHaveLength(150);
    expect(await jobs()).toMatchObject([{ status: 'complete', transaction_count: 150 }]);
  });
});

describe('turns', () => {
  it('go to one project after the other, and to one address after the other', async () => {
    world.startAnalyzer();
    await play([[], [], [], [], [], []]);
    await world.settle();
    await world.stopAnalyzer();
    const other = await world.addProject();
    const mine = [];
    for (const [position, address] of [ALICE, BOB, CAROL].entries())
      mine.push(await importAddress(address, position));
    const theirs = await importAddress(ALICE, 4, other);
    const turns = new HistoryTurns(world.db, world.gid);
    const taken: string[] = [];
    for (let turn = 0; turn < 8; turn += 1) taken.push((await turns.take())!.jobs[0]!.addressId);
    expect(taken.filter((id) => id === theirs.id)).toHaveLength(4);
    const ids = mine.map(({ id }) => id);
    for (const id of ids) expect(taken.filter((each) => each === id).length).toBeGreaterThanOrEqual(1);
    const own = taken.filter((id) => id !== theirs.id);
    expect(new Set(own.slice(0, 3))).toEqual(new Set(ids));
  });

  it('go to one workspace after the other, however many projects one has', async () => {
    world.startAnalyzer();
    await play([[], [], [], []]);
    await world.settle();
    await world.stopAnalyzer();
    const [own] = await world.rows<{ workspace_id: string }>(
      `SELECT workspace_id FROM projects WHERE id = '${project}'`,
    );
    const mine = [await importAddress(ALICE, 0)];
    for (let count = 0; count < 5; count += 1) {
      const [added] = await world.rows<{ id: string }>(
        `INSERT INTO projects (workspace_id, name) VALUES ('${own!.workspace_id}', 'p') RETURNING id`,
      );
      mine.push(await importAddress(BOB, count % 3, added!.id));
    }
    const theirs = await importAddress(CAROL, 2, await world.addProject());
    const turns = new HistoryTurns(world.db, world.gid);
    const taken: string[] = [];
    for (let turn = 0; turn < 12; turn += 1) taken.push((await turns.take())!.jobs[0]!.addressId);
    expect(taken.filter((id) => id === theirs.id)).toHaveLength(6);
    // And within a workspace to one project after the other.
    expect(new Set(taken.filter((id) => id !== theirs.id))).toEqual(new Set(mine.map(({ id }) => id)));
  });

  it('read few blocks more than once, from however many blocks a workspace asks', async () => {
    const length = 120;
    world.startAnalyzer();
    await play(Array.from({ length }, () => []));
    await world.settle();
    await world.stopAnalyzer();
    for (let start = 0; start < 50; start += 1)
      await importAddress(
        `address ${start}`,
        start * 2,
        start % 2 === 0 ? project : await world.addProject(),
      );
    await world.db.query(
      `UPDATE projects SET workspace_id = (SELECT workspace_id FROM projects WHERE id = $1)`,
      [project],
    );
    const read: number[] = [];
    world.chain.endpoints = [
      { label: 'spec', tell: (block: Block): Block => (read.push(block.number), block) },
    ];
    world.startAnalyzer();
    await untilComplete();
    // One after the other, they would read more than 3,500.
    expect(read.length).toBeLessThan(length * 8);
    expect(new Set(read).size).toBeGreaterThanOrEqual(length - 1);
  });

  it('are shared by addresses that stand at the same block', async () => {
    world.startAnalyzer();
    await play([[one], [two], []]);
    await world.settle();
    await world.stopAnalyzer();
    const other = await world.addProject();
    await importAddress(ALICE, 1);
    await importAddress(CAROL, 1, other);
    const read: number[] = [];
    const tell = (block: Block): Block => (read.push(block.number), block);
    world.chain.endpoints = [{ label: 'spec', tell }];
    world.startAnalyzer();
    await untilComplete();
    // The head reads the block that the addresses count from.
    expect(read.filter((number) => number < 3)).toEqual([1, 2]);
    expect(await records()).toHaveLength(3);
  });
});

describe('a chain that begins anew', () => {
  it('takes back what history found below the first block that was followed, and reads it again', async () => {
    const below = [world.chain.make(undefined, { transactions: [one] })];
    below.push(world.chain.make(below[0], { transactions: [two] }));
    const followed = [world.chain.make(below[1])];
    followed.push(world.chain.make(followed[0]));
    await world.db.query('UPDATE ingestor_states SET start_number = 3');
    world.startAnalyzer();
    await world.feedBlocks(...followed);
    await world.feedFinalize(followed[1]!);
    await world.settle();
    await importAddress(ALICE, 1);
    await untilComplete();
    expect(await records()).toHaveLength(2);
    await world.feedReorg(followed.toReversed(), world.seq + 2);
    await world.db.query('UPDATE ingestor_states SET head_number = NULL, head_hash = NULL, start_number = 2');
    await world.settle();
    expect(await records()).toMatchObject([{ status: 'reorged' }, { status: 'reorged' }]);
    const anew = [world.chain.make(undefined, { transactions: [one] }, 'anew')];
    anew.push(world.chain.make(anew[0], { transactions: [foreign] }, 'anew'));
    await world.feedBlocks(anew[1]!);
    await world.feedFinalize(anew[1]!);
    await world.settle();
    await untilComplete();
    expect((await events()).map(({ type, envelope }) => [type, envelope.data.transaction.hash])).toEqual([
      ['transaction.confirmed', one.hash],
      ['transaction.confirmed', two.hash],
      ['transaction.reorged', two.hash],
      ['transaction.reorged', one.hash],
      ['transaction.confirmed', one.hash],
    ]);
    expect(new Set((await events()).map(({ event_id }) => event_id)).size).toBe(5);
  });
});
