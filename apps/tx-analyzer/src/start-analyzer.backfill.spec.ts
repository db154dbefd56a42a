// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Block, Coin, CoinReader } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf } from '@chainwatch/data/testing';
import { BackfillTurns } from './backfill/backfill-batch.ts';
import { codec, COIN, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres, { of: { network: utxoNetwork, utxo: codec } });
  project = await world.addProject();
});
afterEach(() => world.stop());

const outside = (name: string) => ({ txid: hashOf(name), vout: 0 });
const coins = () =>
  world.rows<{ txid: string }>(
    'SELECT txid, vout, block_number, block_hash, spent_by FROM utxos ORDER BY block_number, txid, vout',
  );
const events = async () =>
  (await world.events()).map(
    ({ type, payload }) =>
      `${type} ${(JSON.parse(payload) as { data: { transaction: { hash: string } } }).data.transaction.hash}`,
  );
const backfills = () =>
  world.rows<{ status: string }>(
    'SELECT status, method, coin_count, next_block, to_block, reason FROM address_backfills',
  );
const import_ = async (address: string, fromBlock = 1, by = project) => {
  const watched = await world.watch(by, address);
  await world.db.query(
    `UPDATE address_backfills SET status = 'pending', from_block = $2 WHERE address_id = $1`,
    [watched.id, fromBlock],
  );
  return watched;
};
const untilComplete = (timeoutMs?: number) =>
  waitFor(
    async () => (await world.rows(`SELECT 1 FROM address_backfills WHERE status <> 'complete'`)).length === 0,
    { intervalMs: 10, message: 'the backfill to be complete', ...(timeoutMs !== undefined && { timeoutMs }) },
  );

/** Alice is paid twice before she is watched, and has spent the first coin by then. */
const old = makeUtxoTransaction('old', [outside('a')], [['alice', 5n]]);
const spent = makeUtxoTransaction('spent', [{ txid: old.hash, vout: 0 }], [['bob', 5n]]);
const kept = makeUtxoTransaction(
  'kept',
  [outside('b')],
  [
    ['bob', 1n],
    ['alice', 7n],
  ],
);
const head = makeUtxoTransaction('head', [outside('c')], [['bob', 1n]]);
const makeChain = (): [Block, Block, Block, Block] => {
  const one = world.chain.make(undefined, { transactions: [old] });
  const two = world.chain.make(one, { transactions: [spent, kept] });
  const three = world.chain.make(two, { transactions: [head] });
  return [
    one,
    two,
    three,
    world.chain.make(three, {
      transactions: [
        makeUtxoTransaction(
          'pay',
          [{ txid: kept.hash, vout: 1 }],
          [
            ['carol', 4n],
            ['alice', 2n],
          ],
        ),
      ],
    }),
  ];
};

describe('coins that an address had before it was watched', () => {
  it('are found in the blocks where the node does not tell, and spent by the next block', async () => {
    const [one, two, three, four] = makeChain();
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    await import_('alice');
    await untilComplete();
    expect(await coins()).toEqual([
      { txid: kept.hash, vout: 1, block_number: 2, block_hash: null, spent_by: null },
    ]);
    expect(await backfills()).toEqual([
      { status: 'complete', method: 'rescan', coin_count: 1, next_block: 3, to_block: 2, reason: null },
    ]);
    expect(await events()).toEqual([]);
    await world.feedBlocks(four);
    await world.settle();
    const pay = four.transactions[0]!.hash;
    expect(await events()).toEqual([`transaction.detected ${pay}`]);
    expect(await coins()).toEqual([
      { txid: kept.hash, vout: 1, block_number: 2, block_hash: null, spent_by: pay },
      { txid: pay, vout: 1, block_number: 4, block_hash: four.hash, spent_by: null },
    ]);
    expect(await world.rows('SELECT direction, fee_asset_gid, fee_amount_raw FROM transactions')).toEqual([
      { direction: 'out', fee_asset_gid: COIN, fee_amount_raw: '1' },
    ]);
  });

  it('make a derived address count as used', async () => {
    const [one, two, three] = makeChain();
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    const derived = [await world.watch(project, 'alice'), await world.watch(project, 'dora')];
    await world.makeDerived(derived);
    await world.db.query(
      `UPDATE address_backfills SET status = 'pending', from_block = 1 WHERE address_id = ANY($1)`,
      [derived.map(({ id }) => id)],
    );
    await import_('bob');
    await untilComplete();
    expect(await world.rows('SELECT address FROM addresses WHERE is_used')).toEqual([{ address: 'alice' }]);
  });

  it('are spent by blocks that passed between the registration and the scan, which is told late', async () => {
    const [one, two, three, four] = makeChain();
    const five = world.chain.make(four);
    const pay = four.transactions[0]!.hash;
    let scans = 0;
    let answer: (() => void) | undefined;
    const isAsked = new Promise<void>((resolve) => {
      world.chain.coins = scanner(async () => {
        scans += 1;
        resolve();
        await new Promise<void>((answered) => (answer = answered));
        return [
          {
            at: five,
            coins: [
              { txid: pay, vout: 1, address: 'alice', amountRaw: 2n, isCoinbase: false, blockNumber: 4 },
            ],
          },
          new Map([[`${kept.hash}:1`, 7n]]),
        ];
      }, four);
    });
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    await import_('alice');
    await isAsked;
    await world.feedBlocks(four, five);
    await world.settle();
    // Her own coin was paid to her while she was watched; who spent the older one is not known yet.
    expect(await coins()).toEqual([
      { txid: pay, vout: 1, block_number: 4, block_hash: four.hash, spent_by: null },
    ]);
    answer!();
    await untilComplete();
    expect(scans).toBe(1);
    expect(await coins()).toEqual([
      { txid: kept.hash, vout: 1, block_number: 2, block_hash: null, spent_by: pay },
      { txid: pay, vout: 1, block_number: 4, block_hash: four.hash, spent_by: null },
    ]);
    // One transaction, one event; the record knows by now what she paid.
    expect(await events()).toEqual([`transaction.detected ${pay}`]);
    expect(await world.rows('SELECT direction, fee_amount_raw FROM transactions')).toEqual([
      { direction: 'out', fee_amount_raw: '1' },
    ]);
    expect(await world.rows('SELECT index, from_address, to_address FROM transfers ORDER BY index')).toEqual([
      { index: 0, from_address: 'alice', to_address: null },
      { index: 1, from_address: null, to_address: 'carol' },
      { index: 2, from_address: null, to_address: 'alice' },
    ]);
  });

  it('are found where a node is slow to tell the blocks that passed meanwhile', async () => {
    const [one, two, three, four] = makeChain();
    const connect = world.chain.client.bind(world.chain);
    let slowMs = 0;
    world.chain.client = () => {
      const client = connect();
      const readBlock = client.readBlock.bind(client);
      return Object.assign(client, {
        readBlock: async (...args: Parameters<typeof readBlock>) => {
          if (args[0].number >= three.number) await delay(slowMs);
          return readBlock(...args);
        },
      });
    };
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    const { id } = await world.watch(project, 'alice');
    await world.feedBlocks(four);
    await world.settle();
    // The owner of the chain changes before the search begins: no block is in memory.
    await world.stopAnalyzer();
    await world.db.query(
      `UPDATE address_backfills SET status = 'pending', from_block = 1 WHERE address_id = $1`,
      [id],
    );
    // Longer than a transaction may be idle.
    slowMs = 5_500;
    world.startAnalyzer();
    await untilComplete(20_000);
    const pay = four.transactions[0]!.hash;
    expect((await coins()).map(({ txid }) => txid)).toEqual([kept.hash, pay]);
    expect(await events()).toEqual([`transaction.detected ${pay}`]);
  }, 40_000);

  it('are told only when the chain has recovered, also if it stalls meanwhile', async () => {
    const [one, two, three] = makeChain();
    const four = world.chain.make(three);
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    const { id } = await world.watch(project, 'alice');
    await world.feedBlocks(four);
    await world.settle();
    const spend = makeUtxoTransaction('spend', [{ txid: kept.hash, vout: 1 }], [['carol', 6n]]);
    const again = world.chain.make(three, { transactions: [spend] }, 'again');
    const last = world.chain.make(again);
    world.chain.missing.add(last.hash);
    await world.feedReorg([four], world.seq + 3);
    await world.feedBlocks(again, last);
    await waitFor(
      async () =>
        (
          await world.rows(
            `SELECT FROM analyzer_states WHERE status = 'stalled' AND cursor_hash = '${again.hash}'`,
          )
        ).length > 0,
      { message: 'the chain to be stalled' },
    );
    await world.db.query(
      `UPDATE address_backfills SET status = 'pending', from_block = 1 WHERE address_id = $1`,
      [id],
    );
    await untilComplete();
    expect(await events()).toEqual([`transaction.detected ${spend.hash}`]);
    expect(world.bus.published).toEqual([]);
    world.chain.missing.clear();
    await world.settle();
    await waitFor(() => world.bus.published.length > 0, { message: 'the event' });
    expect(world.bus.published).toHaveLength(1);
  });

  it('are looked for again when a reorg lowers the block that the address counts from', async () => {
    const [one, two, three] = makeChain();
    const found: (() => void)[] = [];
    let scans = 0;
    world.chain.coins = scanner(async () => {
      scans += 1;
      if (scans === 1) await new Promise<void>((resolve) => found.push(resolve));
      const isFirst = scans === 1;
      return [
        {
          at: isFirst ? three : twoB,
          coins: isFirst
            ? [
                {
                  txid: kept.hash,
                  vout: 1,
                  address: 'alice',
                  amountRaw: 7n,
                  isCoinbase: false,
                  blockNumber: 2,
                },
              ]
            : [
                {
                  txid: old.hash,
                  vout: 0,
                  address: 'alice',
                  amountRaw: 5n,
                  isCoinbase: false,
                  blockNumber: 1,
                },
              ],
        },
        new Map(),
      ];
    });
    const twoB = world.chain.make(one, { transactions: [head] }, 'b');
    world.chain.tip = three;
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    await import_('alice');
    await waitFor(async () => found.length === 1, { message: 'the scan' });
    world.chain.tip = twoB;
    await world.feedReorg([three, two]);
    await world.feedBlocks(twoB);
    await world.settle();
    found[0]!();
    await untilComplete();
    expect(scans).toBe(2);
    expect(await coins()).toEqual([
      { txid: old.hash, vout: 0, block_number: 1, block_hash: null, spent_by: null },
    ]);
  });

  it('are looked for again when a reorg brings back what was spent before the address counted', async () => {
    const [one, two, three] = makeChain();
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    await import_('alice');
    await untilComplete();
    const twoB = world.chain.make(one, { transactions: [kept] }, 'b');
    const threeB = world.chain.make(twoB, { transactions: [spent] }, 'b');
    await world.feedReorg([three, two]);
    await world.feedBlocks(twoB, threeB);
    await world.settle();
    await untilComplete();
    expect(await coins()).toEqual([
      { txid: old.hash, vout: 0, block_number: 1, block_hash: null, spent_by: spent.hash },
      { txid: kept.hash, vout: 1, block_number: 2, block_hash: twoB.hash, spent_by: null },
    ]);
    expect((await events()).sort()).toEqual(
      [`transaction.detected ${kept.hash}`, `transaction.detected ${spent.hash}`].sort(),
    );
  });

  it('are not taken from a node that stands on a branch the analyzer has left', async () => {
    const [one, two, three] = makeChain();
    const twoB = world.chain.make(one, { transactions: [kept] }, 'b');
    const threeB = world.chain.make(twoB, {}, 'b');
    let scans = 0;
    world.chain.coins = scanner(async () => {
      scans += 1;
      const keptCoin: Coin = {
        txid: kept.hash,
        vout: 1,
        address: 'alice',
        amountRaw: 7n,
        isCoinbase: false,
        blockNumber: 2,
      };
      world.chain.tip = scans === 1 ? three : threeB;
      return [
        {
          at: world.chain.tip,
          coins:
            scans === 1
              ? [keptCoin]
              : [keptCoin, { ...keptCoin, txid: old.hash, vout: 0, amountRaw: 5n, blockNumber: 1 }],
        },
        new Map(),
      ];
    });
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.feedReorg([three, two]);
    await world.feedBlocks(twoB, threeB);
    await world.settle();
    await import_('alice');
    await untilComplete();
    expect(scans).toBe(2);
    expect((await coins()).map(({ txid }) => txid)).toEqual([old.hash, kept.hash]);
  });

  it('are not looked for before the analyzer has been where the address counts from', async () => {
    const [one, two, three] = makeChain();
    const twoB = world.chain.make(one, { transactions: [kept] }, 'b');
    const threeB = world.chain.make(twoB, { transactions: [spent] }, 'b');
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    world.chain.isDown = true;
    await world.feedBlocks(three);
    await world.feedReorg([three, two]);
    await world.feedBlocks(twoB, threeB);
    await import_('alice');
    // What was found now would be undone with the second block, and not be found again.
    expect(await new BackfillTurns(world.db, world.gid).take()).toBeUndefined();
    world.chain.isDown = false;
    await world.settle();
    await untilComplete();
    expect(await coins()).toEqual([
      { txid: old.hash, vout: 0, block_number: 1, block_hash: null, spent_by: spent.hash },
      { txid: kept.hash, vout: 1, block_number: 2, block_hash: null, spent_by: null },
    ]);
    expect(await events()).toEqual([`transaction.detected ${spent.hash}`]);
  });

  it('are looked for in batches that workspaces lead in turn, and have an equal part in', async () => {
    const [one, two, three, four] = makeChain();
    await world.feedBlocks(one, two, three);
    // One after another: the oldest of a workspace leads.
    const greedy: Awaited<ReturnType<typeof import_>>[] = [];
    for (const [at, fromBlock] of [1, 1, 3, 3].entries()) greedy.push(await import_(`g${at}`, fromBlock));
    const polite = await import_('p0', 2, await world.addProject());
    await world.feedBlocks(four, world.chain.make(four));
    world.startAnalyzer();
    await world.settle();
    await world.stopAnalyzer();
    await world.db.query(`UPDATE address_backfills SET status = 'pending'`);
    const turns = new BackfillTurns(world.db, world.gid);
    const batches = [await turns.take(), await turns.take(), await turns.take()].map((batch) => ({
      fromBlock: batch!.fromBlock,
      ids: new Set(batch!.addresses.map(({ id }) => id)),
    }));
    const led = {
      // Everybody joins the one that needs the earliest blocks.
      greedy: { fromBlock: 1, ids: new Set([...greedy, polite].map(({ id }) => id)) },
      // Nobody makes the other one's search longer.
      polite: { fromBlock: 2, ids: new Set([polite, greedy[2]!, greedy[3]!].map(({ id }) => id)) },
    };
    const [first] = batches;
    const order =
      first!.fromBlock === 1 ? [led.greedy, led.polite, led.greedy] : [led.polite, led.greedy, led.polite];
    expect(batches).toEqual(order);
  });

  it('are found for each of several who watch the same address from different blocks', async () => {
    const [one, two, three, four] = makeChain();
    const pay = four.transactions[0]!.hash;
    await world.feedBlocks(one, two, three);
    await import_('alice');
    await world.feedBlocks(four, world.chain.make(four));
    // Asks for no earlier blocks than the payment's: what is known from before stays.
    await import_('alice', 4, await world.addProject());
    world.startAnalyzer();
    await world.settle();
    await untilComplete();
    expect(await coins()).toEqual([
      { txid: kept.hash, vout: 1, block_number: 2, block_hash: null, spent_by: pay },
      { txid: pay, vout: 1, block_number: 4, block_hash: four.hash, spent_by: null },
    ]);
    expect(await world.rows('SELECT project_id, direction FROM transactions')).toEqual([
      { project_id: project, direction: 'out' },
    ]);
  });

  it('are looked for again when those of earlier blocks are asked for during the search', async () => {
    const one = world.chain.make(undefined, { transactions: [old] });
    const two = world.chain.make(one, { transactions: [kept] });
    const three = world.chain.make(two, { transactions: [head] });
    let ask: (() => Promise<unknown>) | undefined;
    const tell = world.chain.client.bind(world.chain);
    world.chain.client = () => {
      const client = tell();
      const readBlock = client.readBlock.bind(client);
      return Object.assign(client, {
        readBlock: async (...args: Parameters<typeof readBlock>) => {
          const asking = args[0].number === 2 ? ask : undefined;
          if (asking !== undefined) ask = undefined;
          await asking?.();
          return readBlock(...args);
        },
      });
    };
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    // As the gateway does (ask-for-history.ts).
    ask = () =>
      world.db.query(`UPDATE address_backfills SET status = 'pending', from_block = 1, next_block = NULL`);
    await import_('alice', 2);
    await untilComplete();
    expect(ask).toBeUndefined();
    expect((await coins()).map(({ txid }) => txid)).toEqual([old.hash, kept.hash]);
  });

  it('stay where somebody else asks for those of later blocks only', async () => {
    const [one, two, three] = makeChain();
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    await import_('alice');
    await untilComplete();
    await import_('alice', 3, await world.addProject());
    await untilComplete();
    expect(await coins()).toEqual([
      { txid: kept.hash, vout: 1, block_number: 2, block_hash: null, spent_by: null },
    ]);
  });

  it('are looked for again when a reorg reaches below the first block that was followed', async () => {
    const [one, two, three] = makeChain();
    const other = makeUtxoTransaction('other', [outside('d')], [['alice', 3n]]);
    await world.db.query('UPDATE ingestor_states SET start_number = 3');
    await import_('alice');
    world.startAnalyzer();
    world.chain.tip = three;
    await world.feedBlocks(three);
    await untilComplete();
    expect((await coins()).map(({ txid }) => txid)).toEqual([kept.hash]);
    const twoB = world.chain.make(one, { transactions: [other] }, 'b');
    const threeB = world.chain.make(twoB, {}, 'b');
    world.chain.tip = threeB;
    await world.feedReorg([three]);
    await world.feedBlocks(threeB);
    await world.settle();
    await untilComplete();
    expect((await coins()).map(({ txid }) => txid)).toEqual([old.hash, other.hash]);
    expect(two.number).toBe(twoB.number);
  });

  it('are found for an address that was registered before the chain was active', async () => {
    const [one, two, three] = makeChain();
    const alice = await import_('alice');
    // What the gateway leaves then.
    await world.db.query('DELETE FROM address_backfills');
    await world.db.query('UPDATE ingestor_states SET start_number = 3');
    expect(one.number).toBe(two.number - 1);
    await world.feedBlocks(three);
    world.startAnalyzer();
    await waitFor(async () => (await backfills()).some(({ status }) => status === 'complete'), {
      message: 'the backfill',
    });
    expect((await coins()).map(({ txid }) => txid)).toEqual([kept.hash]);
    expect(await world.rows('SELECT address_id, reason FROM balance_reads')).toEqual([
      { address_id: alice.id, reason: 'imported' },
    ]);
  });

  it('that were spent while nobody watched are not there any more when it is monitored again', async () => {
    const [one, two, three, four] = makeChain();
    const five = world.chain.make(four);
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    const alice = await import_('alice');
    await untilComplete();
    await world.setMonitored(alice.id, false);
    // Not marked: the process that saw the coin is gone, and its row with it.
    await world.db.query('DELETE FROM utxos');
    await world.feedBlocks(four, five);
    await world.settle();
    await world.db.query(
      `INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number) VALUES ($1, $2, 1, 'alice', 7, 2)`,
      [world.gid, kept.hash],
    );
    await world.setMonitored(alice.id, true);
    await world.db.query(`UPDATE address_backfills SET status = 'pending'`);
    await untilComplete();
    expect(await coins()).toEqual([
      { txid: four.transactions[0]!.hash, vout: 1, block_number: 4, block_hash: null, spent_by: null },
    ]);
  });
});

function scanner(
  scan: () => Promise<[{ at: { number: number; hash: string }; coins: Coin[] }, Map<string, bigint>]>,
  spentIn?: Block,
): CoinReader {
  let spent = new Map<string, bigint>();
  return {
    scanCoins: async () => {
      const [result, spends] = await scan();
      spent = spends;
      return result;
    },
    readSpentOutputs: async ({ hash }) =>
      new Map(
        hash === spentIn?.hash
          ? [...spent].map(([outpoint, amountRaw]) => [
              outpoint,
              { matchKey: codec.matchKeyOf('alice'), amountRaw },
            ])
          : [],
      ),
  };
}
