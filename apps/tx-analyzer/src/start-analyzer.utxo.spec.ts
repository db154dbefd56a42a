// SPDX-License-Identifier: Apache-2.0
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf } from '@chainwatch/data/testing';
import { codec, COIN, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
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
  world = await SpecWorld.start(postgres, { of: { network: utxoNetwork, utxo: codec } });
  project = await world.addProject();
});
afterEach(() => world.stop());

const FOREIGN = { txid: hashOf('foreign'), vout: 0 };
const coins = () =>
  world.rows(
    'SELECT txid, vout, address, amount_raw, is_coinbase, block_number, block_hash, spent_by, spent_block_number, spent_block_hash FROM utxos ORDER BY block_number, txid, vout',
  );
const records = () =>
  world.rows<{ hash: string; status: string }>(
    'SELECT hash, status, direction, epoch, fee_amount_raw FROM transactions ORDER BY block_number, tx_index, project_id',
  );
const payloads = async () =>
  (await world.events()).map((event) =>
    EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload)),
  );
const at = (block: { number: number; hash: string }) => ({
  block_number: block.number,
  block_hash: block.hash,
});
const unspent = { spent_by: null, spent_block_number: null, spent_block_hash: null };
const spentBy = (transaction: { hash: string }, block: { number: number; hash: string }) => ({
  spent_by: transaction.hash,
  spent_block_number: block.number,
  spent_block_hash: block.hash,
});

describe('coins of watched addresses', () => {
  it('are created with the block that pays them, and told as a leg without a sender', async () => {
    const alice = await world.watch(project, 'alice');
    const coinbase = makeUtxoTransaction(
      'coinbase',
      [],
      [
        ['miner', 50n],
        ['alice', 1n],
      ],
    );
    const payment = makeUtxoTransaction(
      'payment',
      [FOREIGN],
      [
        ['bob', 4n],
        [undefined, 0n],
        ['alice', 150_000_000n],
        ['alice', 2n],
      ],
    );
    const one = world.chain.make(undefined, { transactions: [coinbase, payment] });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();

    expect(await coins()).toEqual(
      expect.arrayContaining([
        {
          txid: coinbase.hash,
          vout: 1,
          address: 'alice',
          amount_raw: '1',
          is_coinbase: true,
          ...at(one),
          ...unspent,
        },
        {
          txid: payment.hash,
          vout: 2,
          address: 'alice',
          amount_raw: '150000000',
          is_coinbase: false,
          ...at(one),
          ...unspent,
        },
        {
          txid: payment.hash,
          vout: 3,
          address: 'alice',
          amount_raw: '2',
          is_coinbase: false,
          ...at(one),
          ...unspent,
        },
      ]),
    );
    expect(await coins()).toHaveLength(3);
    expect(await records()).toEqual(
      [coinbase, payment].map(({ hash }) => ({
        hash,
        status: 'detected',
        direction: 'in',
        epoch: 0,
        fee_amount_raw: null,
      })),
    );
    const [, event] = await payloads();
    expect(event!.data.transaction).toMatchObject({ fee: null, direction: 'in' });
    expect(event!.data.transaction.transfers).toEqual([
      {
        index: 3,
        type: 'native',
        asset_gid: COIN,
        from: null,
        to: 'alice',
        amount: '1.5',
        amount_raw: '150000000',
        decimals: 8,
        log_index: null,
        memo: null,
        monitored_addresses: ['alice'],
      },
      {
        index: 4,
        type: 'native',
        asset_gid: COIN,
        from: null,
        to: 'alice',
        amount: '0.00000002',
        amount_raw: '2',
        decimals: 8,
        log_index: null,
        memo: null,
        monitored_addresses: ['alice'],
      },
    ]);
    expect(event!.data.balance_changes).toEqual([
      {
        address_id: alice.id,
        address: 'alice',
        asset_gid: COIN,
        delta: '1.50000002',
        delta_raw: '150000002',
      },
    ]);
    expect(await world.rows('SELECT address_id, asset_gid, block_number, reason FROM balance_reads')).toEqual(
      [{ address_id: alice.id, asset_gid: COIN, block_number: 1, reason: 'detected' }],
    );
  });

  it('are spent with legs that tell where the money went, change and fee in the sum of each address', async () => {
    const alice = await world.watch(project, 'alice');
    const change = await world.watch(project, 'change');
    const other = await world.addProject();
    await world.watch(other, 'carol');
    const deposit = makeUtxoTransaction('deposit', [FOREIGN], [['alice', 100n]]);
    const payment = makeUtxoTransaction(
      'payment',
      [{ txid: deposit.hash, vout: 0 }],
      [
        ['bob', 30n],
        ['change', 50n],
        [undefined, 0n],
        ['carol', 15n],
      ],
    );
    const one = world.chain.make(undefined, { transactions: [deposit] });
    const two = world.chain.make(one, { transactions: [payment] });
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();

    expect(
      await world.rows(
        `SELECT txid, vout, address, spent_by, spent_block_number, spent_block_hash FROM utxos ORDER BY address`,
      ),
    ).toEqual([
      { txid: deposit.hash, vout: 0, address: 'alice', ...spentBy(payment, two) },
      { txid: payment.hash, vout: 3, address: 'carol', ...unspent },
      { txid: payment.hash, vout: 1, address: 'change', ...unspent },
    ]);
    const events = (await payloads()).filter((event) => event.data.transaction.hash === payment.hash);
    const mine = events.find((event) => event.project_id === project)!;
    expect(mine.data.transaction).toMatchObject({
      direction: 'out',
      fee: { asset_gid: COIN, amount_raw: '5' },
    });
    expect(
      mine.data.transaction.transfers.map(({ index, from, to, amount_raw, monitored_addresses }) => [
        index,
        from,
        to,
        amount_raw,
        monitored_addresses,
      ]),
    ).toEqual([
      [0, 'alice', null, '100', ['alice']],
      [1, null, 'bob', '30', []],
      [2, null, 'change', '50', ['change']],
      [4, null, 'carol', '15', []],
    ]);
    expect(new Map(mine.data.balance_changes.map((entry) => [entry.address_id, entry.delta_raw]))).toEqual(
      new Map([
        [alice.id, '-100'],
        [change.id, '50'],
      ]),
    );
    const theirs = events.find((event) => event.project_id === other)!;
    expect(theirs.data.transaction).toMatchObject({
      direction: 'in',
      transfers: [{ index: 4, from: null, to: 'carol', monitored_addresses: ['carol'] }],
    });
    expect(
      await world.rows(
        'SELECT index, from_address, to_address, monitored_addresses FROM transfers WHERE project_id = $1 AND from_address IS NULL AND to_address = $2',
        [project, 'bob'],
      ),
    ).toEqual([{ index: 1, from_address: null, to_address: 'bob', monitored_addresses: [] }]);
  });

  it.each([
    [
      'self',
      'all of it stays',
      [
        ['alice', 60n],
        ['change', 39n],
        [undefined, 0n],
      ],
    ],
    [
      'out',
      'some of it goes to somebody',
      [
        ['bob', 1n],
        ['change', 98n],
      ],
    ],
    [
      'out',
      'an output with nothing in it goes to somebody',
      [
        ['bob', 0n],
        ['change', 98n],
      ],
    ],
    [
      'out',
      'some of it goes to a script without an address',
      [
        ['change', 98n],
        [undefined, 1n],
      ],
    ],
    ['out', 'all of it is the fee', [[undefined, 0n]]],
  ] as const)('make a transaction `%s` when %s', async (direction, _, outputs) => {
    await world.watch(project, 'alice');
    await world.watch(project, 'change');
    const deposit = makeUtxoTransaction('deposit', [FOREIGN], [['alice', 100n]]);
    const one = world.chain.make(undefined, { transactions: [deposit] });
    world.startAnalyzer();
    await world.feedBlocks(
      one,
      world.chain.make(one, {
        transactions: [makeUtxoTransaction('payment', [{ txid: deposit.hash, vout: 0 }], outputs)],
      }),
    );
    await world.settle();
    expect(await records()).toMatchObject([{ direction: 'in' }, { direction }]);
  });

  it('make a transaction `out` when others put something in, though all of it stays', async () => {
    await world.watch(project, 'alice');
    const deposit = makeUtxoTransaction('deposit', [FOREIGN], [['alice', 100n]]);
    const one = world.chain.make(undefined, {
      transactions: [
        deposit,
        makeUtxoTransaction(
          'joint',
          [
            { txid: deposit.hash, vout: 0 },
            { ...FOREIGN, vout: 1 },
          ],
          [['alice', 150n]],
        ),
      ],
    });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    expect(await records()).toMatchObject([{ direction: 'in' }, { direction: 'out', fee_amount_raw: null }]);
  });

  it('are followed through a chain of payments inside one block, and the next one in a step with it', async () => {
    await world.watch(project, 'alice');
    const first = makeUtxoTransaction('1', [FOREIGN], [['alice', 100n]]);
    const second = makeUtxoTransaction(
      '2',
      [{ txid: first.hash, vout: 0 }],
      [
        ['bob', 10n],
        ['alice', 89n],
      ],
    );
    const third = makeUtxoTransaction('3', [{ txid: second.hash, vout: 1 }], [['bob', 88n]]);
    const one = world.chain.make(undefined, { transactions: [first, second] });
    const two = world.chain.make(one, { transactions: [third] });
    await world.feedBlocks(one, two);
    world.startAnalyzer();
    await world.settle();
    expect(await coins()).toEqual(
      expect.arrayContaining([
        {
          txid: first.hash,
          vout: 0,
          address: 'alice',
          amount_raw: '100',
          is_coinbase: false,
          ...at(one),
          ...spentBy(second, one),
        },
        {
          txid: second.hash,
          vout: 1,
          address: 'alice',
          amount_raw: '89',
          is_coinbase: false,
          ...at(one),
          ...spentBy(third, two),
        },
      ]),
    );
    expect(await records()).toMatchObject([
      { direction: 'in' },
      { direction: 'out', fee_amount_raw: '1' },
      { direction: 'out', fee_amount_raw: '1' },
    ]);
  });

  it('are known to the next process that takes the chain over', async () => {
    await world.watch(project, 'alice');
    const deposit = makeUtxoTransaction('deposit', [FOREIGN], [['alice', 100n]]);
    const payment = makeUtxoTransaction('payment', [{ txid: deposit.hash, vout: 0 }], [['bob', 99n]]);
    const one = world.chain.make(undefined, { transactions: [deposit] });
    const two = world.chain.make(one, { transactions: [payment] });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    await world.stopAnalyzer();
    world.startAnalyzer();
    await world.feedBlocks(two);
    await world.settle();
    expect(await coins()).toMatchObject([spentBy(payment, two)]);
    expect(await records()).toMatchObject([{ direction: 'in' }, { direction: 'out' }]);
  });

  it('are marked spent though their address is not monitored any more, and nobody is told', async () => {
    const alice = await world.watch(project, 'alice');
    const deposit = makeUtxoTransaction('deposit', [FOREIGN], [['alice', 100n]]);
    const payment = makeUtxoTransaction('payment', [{ txid: deposit.hash, vout: 0 }], [['alice', 99n]]);
    const one = world.chain.make(undefined, { transactions: [deposit] });
    const two = world.chain.make(one, { transactions: [payment] });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    await world.setMonitored(alice.id, false);
    await world.feedBlocks(two);
    await world.settle();
    expect(await coins()).toMatchObject([{ txid: deposit.hash, ...spentBy(payment, two) }]);
    expect(await records()).toMatchObject([{ hash: deposit.hash }]);
  });

  it('are one where two coinbases have one txid', async () => {
    await world.watch(project, 'alice');
    const coinbase = makeUtxoTransaction('coinbase', [], [['alice', 50n]]);
    const one = world.chain.make(undefined, { transactions: [coinbase] });
    const two = world.chain.make(one, { transactions: [coinbase] });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    await world.feedBlocks(two);
    await world.settle();
    expect(await coins()).toMatchObject([{ txid: coinbase.hash, amount_raw: '50', ...at(one), ...unspent }]);
    expect((await world.events()).map((event) => event.type)).toEqual(['transaction.detected']);
    await world.feedReorg([two]);
    await world.settle();
    expect(await coins()).toMatchObject([{ txid: coinbase.hash, ...at(one) }]);
  });

  it('come to life again where a coinbase repeats the txid of one that was spent', async () => {
    await world.watch(project, 'alice');
    const coinbase = makeUtxoTransaction('coinbase', [], [['alice', 50n]]);
    const one = world.chain.make(undefined, { transactions: [coinbase] });
    const two = world.chain.make(one, {
      transactions: [makeUtxoTransaction('spend', [{ txid: coinbase.hash, vout: 0 }], [['bob', 50n]])],
    });
    const three = world.chain.make(two, { transactions: [coinbase] });
    world.startAnalyzer();
    for (const block of [one, two, three]) {
      await world.feedBlocks(block);
      await world.settle();
    }
    expect(await coins()).toMatchObject([{ ...at(three), ...unspent }]);
  });
});

describe('a reorg', () => {
  it('removes what orphans created and brings back what they spent, and the new chain does both anew', async () => {
    await world.watch(project, 'alice');
    const deposit = makeUtxoTransaction('deposit', [FOREIGN], [['alice', 100n]]);
    const payment = makeUtxoTransaction(
      'payment',
      [{ txid: deposit.hash, vout: 0 }],
      [
        ['bob', 30n],
        ['alice', 69n],
      ],
    );
    const later = makeUtxoTransaction('later', [{ txid: payment.hash, vout: 1 }], [['bob', 68n]]);
    const one = world.chain.make(undefined, { transactions: [deposit] });
    const two = world.chain.make(one, { transactions: [payment] });
    const three = world.chain.make(two, { transactions: [later] });
    world.startAnalyzer();
    await world.feedBlocks(one, two, three);
    await world.settle();
    await world.feedReorg([three, two]);
    await world.settle();
    expect(await coins()).toEqual([
      {
        txid: deposit.hash,
        vout: 0,
        address: 'alice',
        amount_raw: '100',
        is_coinbase: false,
        ...at(one),
        ...unspent,
      },
    ]);

    const twoB = world.chain.make(one, {}, 'b');
    const threeB = world.chain.make(twoB, { transactions: [payment] }, 'b');
    await world.feedBlocks(twoB, threeB);
    await world.settle();
    expect(await coins()).toMatchObject([
      { txid: deposit.hash, ...spentBy(payment, threeB) },
      { txid: payment.hash, vout: 1, ...at(threeB), ...unspent },
    ]);
    expect((await world.rows('SELECT hash, status, epoch FROM transactions ORDER BY hash')).sort()).toEqual(
      expect.arrayContaining([
        { hash: deposit.hash, status: 'detected', epoch: 0 },
        { hash: payment.hash, status: 'detected', epoch: 1 },
        { hash: later.hash, status: 'reorged', epoch: 1 },
      ]),
    );
    expect((await world.events()).map((event) => event.type.slice(12))).toEqual([
      'detected',
      'detected',
      'detected',
      'reorged',
      'reorged',
      'detected',
    ]);
  });

  it('takes the maturity of a coinbase with its block, in every project, and gives it anew in another block', async () => {
    const other = await world.addProject();
    await world.watch(project, 'alice');
    await world.watch(other, 'bob');
    const coinbase = makeUtxoTransaction(
      'coinbase',
      [],
      [
        ['alice', 50n],
        ['bob', 7n],
      ],
    );
    const payment = makeUtxoTransaction('payment', [FOREIGN], [['alice', 1n]]);
    const matures = () =>
      world.rows(
        'SELECT hash, status, matures_at_block FROM transactions GROUP BY hash, status, matures_at_block ORDER BY hash = $1',
        [payment.hash],
      );
    const one = world.chain.make(undefined);
    const two = world.chain.make(one, { transactions: [coinbase, payment] });
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    expect(await matures()).toEqual([
      { hash: coinbase.hash, status: 'detected', matures_at_block: two.number + 100 },
      { hash: payment.hash, status: 'detected', matures_at_block: null },
    ]);
    await world.feedReorg([two]);
    await world.settle();
    expect(await matures()).toEqual([
      { hash: coinbase.hash, status: 'reorged', matures_at_block: null },
      { hash: payment.hash, status: 'reorged', matures_at_block: null },
    ]);
    // A coinbase of before BIP-34 may return at another height.
    const twoB = world.chain.make(one, {}, 'b');
    const threeB = world.chain.make(twoB, { transactions: [coinbase] }, 'b');
    await world.feedBlocks(twoB, threeB);
    await world.settle();
    expect(await matures()).toMatchObject([
      { status: 'detected', matures_at_block: threeB.number + 100 },
      { status: 'reorged', matures_at_block: null },
    ]);
    await world.feedFinalize(threeB);
    await world.settle();
    for (const id of [project, other]) {
      const told = (await payloads()).filter(
        ({ project_id, data }) => project_id === id && data.transaction.hash === coinbase.hash,
      );
      expect(told.map(({ type, data }) => [type.slice(12), data.transaction.matures_at_block])).toEqual([
        ['detected', two.number + 100],
        ['reorged', null],
        ['detected', threeB.number + 100],
        ['confirmed', threeB.number + 100],
      ]);
    }
  });

  it('lets a coin be spent by another transaction, below finality too and after a new start', async () => {
    await world.watch(project, 'alice');
    const deposit = makeUtxoTransaction('deposit', [FOREIGN], [['alice', 100n]]);
    const coin = { txid: deposit.hash, vout: 0 };
    const honest = makeUtxoTransaction('honest', [coin], [['bob', 99n]]);
    const double = makeUtxoTransaction('double', [coin], [['carol', 98n]]);
    const one = world.chain.make(undefined, { transactions: [deposit] });
    const two = world.chain.make(one, { transactions: [honest] });
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.feedFinalize(two);
    await world.settle();
    await world.stopAnalyzer();
    const twoB = world.chain.make(one, { transactions: [double] }, 'b');
    await world.feedReorg([two], world.seq + 2);
    await world.feedBlocks(twoB);
    world.startAnalyzer();
    await world.settle();
    expect(await coins()).toMatchObject([spentBy(double, twoB)]);
    expect(new Map((await records()).map(({ hash, status }) => [hash, status]))).toEqual(
      new Map([
        [deposit.hash, 'confirmed'],
        [honest.hash, 'reorged'],
        [double.hash, 'detected'],
      ]),
    );
  });

  it('removes coins that a scan found at its height or above', async () => {
    await world.watch(project, 'alice');
    const one = world.chain.make(undefined);
    const two = world.chain.make(one);
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    await world.db.query(
      `INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number) VALUES ($1, 'x', 0, 'alice', 1, 1), ($1, 'y', 0, 'alice', 1, 2)`,
      [world.gid],
    );
    await world.feedReorg([two]);
    await world.settle();
    expect(await coins()).toMatchObject([{ txid: 'x' }]);
  });
});

describe('addresses that come late', () => {
  const fill = (name: string) => makeUtxoTransaction(name, [{ ...FOREIGN, vout: 9 }], [['nobody', 1n]]);

  it('get the coins of blocks already passed, and what spends them there and in the block of the same step', async () => {
    const one = world.chain.make(undefined, { transactions: [fill('1')] });
    const deposit = makeUtxoTransaction(
      'deposit',
      [FOREIGN],
      [
        ['alice', 100n],
        ['alice', 7n],
      ],
    );
    const payment = makeUtxoTransaction(
      'payment',
      [{ txid: deposit.hash, vout: 0 }],
      [
        ['bob', 30n],
        ['alice', 69n],
      ],
    );
    const last = makeUtxoTransaction('last', [{ txid: payment.hash, vout: 1 }], [['bob', 68n]]);
    const two = world.chain.make(one, { transactions: [deposit] });
    const three = world.chain.make(two, { transactions: [payment] });
    const four = world.chain.make(three, { transactions: [last] });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    await world.db.transaction(async (sql) => {
      await world.watch(project, 'alice', sql);
      await world.feedBlocks(two, three);
      await world.settle();
      await world.stopAnalyzer();
    });
    await world.feedBlocks(four);
    world.startAnalyzer();
    await world.settle();
    await waitFor(async () => (await records()).length === 3);
    expect(await coins()).toMatchObject([
      ...[
        { txid: deposit.hash, vout: 0, ...at(two), ...spentBy(payment, three) },
        { txid: deposit.hash, vout: 1, ...at(two), ...unspent },
      ],
      { txid: payment.hash, vout: 1, ...at(three), ...spentBy(last, four) },
    ]);
    expect(await records()).toMatchObject([
      { direction: 'in' },
      { direction: 'out', fee_amount_raw: '1' },
      { direction: 'out', fee_amount_raw: '1' },
    ]);
  });

  it('find spends of coins that somebody else has watched for longer', async () => {
    const other = await world.addProject();
    await world.watch(other, 'alice');
    const deposit = makeUtxoTransaction('deposit', [FOREIGN], [['alice', 100n]]);
    const payment = makeUtxoTransaction('payment', [{ txid: deposit.hash, vout: 0 }], [['bob', 99n]]);
    const one = world.chain.make(undefined, { transactions: [deposit] });
    const two = world.chain.make(one, { transactions: [fill('2')] });
    const three = world.chain.make(two, { transactions: [payment] });
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    await world.db.transaction(async (sql) => {
      await world.watch(project, 'alice', sql);
      await world.feedBlocks(three);
      await world.settle();
    });
    await waitFor(
      async () =>
        (await world.rows('SELECT 1 FROM transactions WHERE project_id = $1', [project])).length === 1,
    );
    expect(
      await world.rows('SELECT hash, direction, fee_amount_raw FROM transactions WHERE project_id = $1', [
        project,
      ]),
    ).toEqual([{ hash: payment.hash, direction: 'out', fee_amount_raw: '1' }]);
    expect(await coins()).toMatchObject([spentBy(payment, three)]);
  });

  it('make a spend known to whoever watches the address, when the coin becomes known with somebody else', async () => {
    const deposit = makeUtxoTransaction('deposit', [FOREIGN], [['alice', 100n]]);
    const payment = makeUtxoTransaction('payment', [{ txid: deposit.hash, vout: 0 }], [['bob', 99n]]);
    const one = world.chain.make(undefined, { transactions: [deposit] });
    const two = world.chain.make(one);
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    await world.watch(project, 'alice');
    await world.feedReorg([two]);
    await world.settle();
    const other = await world.addProject();
    await world.db.transaction(async (sql) => {
      await world.watch(other, 'alice', sql);
      await world.feedBlocks(world.chain.make(one, { transactions: [payment] }, 'b'));
      await world.settle();
      expect(await records()).toEqual([]);
    });
    await waitFor(async () => (await records()).length === 3);
    expect(
      await world.rows('SELECT hash, direction FROM transactions WHERE project_id = $1', [project]),
    ).toEqual([{ hash: payment.hash, direction: 'out' }]);
  });

  it('leave the coins of others as they are in the transactions that they share, spent in the same step or not', async () => {
    await world.watch(project, 'alice');
    const deposit = makeUtxoTransaction(
      'deposit',
      [FOREIGN],
      [
        ['alice', 100n],
        ['bob', 50n],
        ['alice', 7n],
      ],
    );
    const payment = makeUtxoTransaction('payment', [{ txid: deposit.hash, vout: 0 }], [['carol', 99n]]);
    const one = world.chain.make(undefined);
    const two = world.chain.make(one, { transactions: [deposit] });
    const three = world.chain.make(two, { transactions: [payment] });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    await world.db.transaction(async (sql) => {
      await world.watch(project, 'bob', sql);
      await world.feedBlocks(two);
      await world.settle();
      await world.stopAnalyzer();
    });
    await world.feedBlocks(three);
    world.startAnalyzer();
    await world.settle();
    await waitFor(async () => (await coins()).length === 3);
    expect(await coins()).toMatchObject([
      { vout: 0, ...at(two), ...spentBy(payment, three) },
      { vout: 1, address: 'bob', ...at(two), ...unspent },
      { vout: 2, ...at(two), ...unspent },
    ]);
  });

  it('complete the record of a transaction that is known: legs, direction and fee, without a second event', async () => {
    await world.watch(project, 'alice');
    const one = world.chain.make(undefined, { transactions: [fill('1')] });
    const deposits = makeUtxoTransaction(
      'deposits',
      [FOREIGN],
      [
        ['alice', 100n],
        ['bob', 50n],
      ],
    );
    const payment = makeUtxoTransaction(
      'payment',
      [
        { txid: deposits.hash, vout: 0 },
        { txid: deposits.hash, vout: 1 },
      ],
      [['bob', 149n]],
    );
    const two = world.chain.make(one, { transactions: [deposits, payment] });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    await world.db.transaction(async (sql) => {
      await world.watch(project, 'bob', sql);
      await world.feedBlocks(two);
      await world.settle();
      expect(await records()).toMatchObject([
        { direction: 'in' },
        { direction: 'out', fee_amount_raw: null },
      ]);
    });
    await waitFor(async () => (await coins()).length === 3);
    expect(await records()).toMatchObject([{ direction: 'in' }, { direction: 'self', fee_amount_raw: '1' }]);
    const legs = await world.rows(
      'SELECT index, from_address, to_address, monitored_addresses FROM transfers f JOIN transactions t ON t.id = f.transaction_id WHERE t.hash = $1 ORDER BY index',
      [payment.hash],
    );
    expect(legs).toEqual([
      { index: 0, from_address: 'alice', to_address: null, monitored_addresses: ['alice'] },
      { index: 1, from_address: 'bob', to_address: null, monitored_addresses: ['bob'] },
      { index: 2, from_address: null, to_address: 'bob', monitored_addresses: ['bob'] },
    ]);
    expect(await world.events()).toHaveLength(2);
  });

  const addresses = Array.from({ length: 500 }, (_, index) => `hd${index}`);
  const total = async (condition: string) =>
    (await world.rows<{ total: number }>(`SELECT count(*) AS total FROM utxos WHERE ${condition}`))[0]!.total;

  it.each(['confirm_addresses', 'lock_and_read_existing', 'insert_coins', 'commit_blocks'])(
    'miss none of 500 outputs to addresses that are derived just before %s',
    async (statement) => {
      await world.watch(project, 'alice');
      const one = world.chain.make(undefined);
      const payment = makeUtxoTransaction(
        'payment',
        [FOREIGN],
        ['alice', ...addresses].map((address) => [address, 1n] as const),
      );
      const two = world.chain.make(one, { transactions: [payment] });
      const three = world.chain.make(two, {
        transactions: addresses
          .slice(0, 20)
          .map((_, index) =>
            makeUtxoTransaction(`spend ${index}`, [{ txid: payment.hash, vout: 1 + index }], [['bob', 1n]]),
          ),
      });
      let isDone = false;
      world.startAnalyzer(
        new PausingDatabase(async (name) => {
          if (!name?.startsWith(statement) || isDone) return;
          isDone = true;
          await world.db.transaction(async (sql) => {
            for (const address of addresses) await world.watch(project, address, sql);
          });
        }),
      );
      await world.feedBlocks(one);
      await world.settle();
      await world.feedBlocks(two);
      await waitFor(async () => (await total('true')) === 501);
      await world.feedBlocks(three);
      await waitFor(async () => (await total('spent_block_number = 3')) === 20);
      expect(await total('block_number = 2')).toBe(501);
      expect(
        await world.rows(
          'SELECT count(*) AS total FROM transaction_addresses ta JOIN transactions t ON t.id = ta.transaction_id WHERE t.hash = $1',
          [payment.hash],
        ),
      ).toEqual([{ total: 501 }]);
    },
  );

  it('miss none of 500 outputs to addresses that are derived one after the other while blocks pass', async () => {
    const one = world.chain.make(undefined, { transactions: [fill('1')] });
    const payment = makeUtxoTransaction(
      'payment',
      [FOREIGN],
      addresses.map((address) => [address, 1n] as const),
    );
    const two = world.chain.make(one, { transactions: [payment] });
    const three = world.chain.make(two, {
      transactions: addresses.map((_, vout) =>
        makeUtxoTransaction(`spend ${vout}`, [{ txid: payment.hash, vout }], [['bob', 1n]]),
      ),
    });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    const deriving = (async () => {
      for (let start = 0; start < addresses.length; start += 5) {
        await world.db.transaction(async (sql) => {
          for (const address of addresses.slice(start, start + 5)) await world.watch(project, address, sql);
        });
      }
    })();
    await world.feedBlocks(two, three);
    await Promise.all([deriving, world.settle()]);
    const counting = await world.rows<{ total: number }>(
      'SELECT count(*) AS total FROM address_watches WHERE from_block <= 2',
    );
    await waitFor(async () => (await total('spent_block_number = 3')) === counting[0]!.total);
    expect(await total('true')).toBe(counting[0]!.total);
  });
});

describe('derived addresses', () => {
  it('count as used from their first transaction on', async () => {
    await world.watch(project, 'alice');
    const derived = await Promise.all(['hd0', 'hd1', 'hd2'].map((address) => world.watch(project, address)));
    await world.makeDerived(derived);
    const used = async () =>
      (
        await world.rows<{ address: string }>('SELECT address FROM addresses WHERE is_used ORDER BY address')
      ).map(({ address }) => address);
    const deposit = makeUtxoTransaction(
      'deposit',
      [FOREIGN],
      [
        ['alice', 1n],
        ['hd1', 100n],
      ],
    );
    const one = world.chain.make(undefined, { transactions: [deposit] });
    world.startAnalyzer();
    await world.feedBlocks(one);
    await world.settle();
    expect(await used()).toEqual(['hd1']);
    await world.feedReorg([one]);
    await world.feedBlocks(
      world.chain.make(
        undefined,
        { transactions: [makeUtxoTransaction('other', [FOREIGN], [['hd2', 1n]])] },
        'b',
      ),
    );
    await world.settle();
    expect(await used()).toEqual(['hd1', 'hd2']);
  });
});
