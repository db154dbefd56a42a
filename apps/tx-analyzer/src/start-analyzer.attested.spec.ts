// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, type Block, type Transaction } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, TOKEN } from '@chainwatch/data/testing';
import { makeTransaction, type SpecEndpoint } from './spec-world/spec-chain.ts';
import { accept, incidents, reprocess, withMore } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

let postgres: PostgresHandle;
let world: SpecWorld;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  // Longer than any spec, so that only an answer or `passWait` ends it.
  world = await SpecWorld.start(postgres, { pollMs: 100, attestWaitMs: 3_600_000 });
});
afterEach(() => world.stop());

/** Tokens, which no root covers. */
const pay = (name: string, more: Partial<Transaction> = {}): Transaction =>
  makeTransaction(name, {
    from: BOB,
    to: ALICE,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: BOB },
    transfers: [
      { index: 0, type: 'token', assetGid: TOKEN, from: BOB, to: ALICE, amountRaw: 5n, logIndex: 0 },
    ],
    verification: 'attested',
    ...more,
  });
const payment = pay('payment');

/** An endpoint of an operator of its own; on the second call it may tell something else. */
interface Told {
  change: (block: Block) => Block;
  isAway: boolean;
  readonly asked: string[];
}
function endpoint(label: string, told: Partial<Told> = {}): SpecEndpoint & Told {
  const self: SpecEndpoint & Told = {
    label,
    change: (block) => block,
    isAway: false,
    asked: [],
    ...told,
    tell: (block) => {
      self.asked.push(block.hash);
      if (self.isAway) throw new BlockNotFoundError(`${label} is away`);
      return self.change(block);
    },
  };
  return self;
}
const lie = withMore(payment.hash);

/** The analyzer with these endpoints, and a block that holds the payment. */
async function start(...endpoints: readonly SpecEndpoint[]): Promise<Block> {
  world.chain.endpoints = endpoints;
  await world.watch(await world.addProject(), ALICE);
  world.startAnalyzer();
  const block = world.chain.make(undefined, { transactions: [payment] });
  await world.feedBlocks(block);
  return block;
}

async function takeFinal(block: Block): Promise<void> {
  await world.feedFinalize(block);
  await world.settle();
}

const told = async () =>
  (await world.events()).map(({ type, payload }) => {
    const { transaction } = (
      JSON.parse(payload) as {
        data: { transaction: { verification: string; transfers: { amount_raw: string }[] } };
      }
    ).data;
    return `${type} ${transaction.transfers[0]?.amount_raw ?? '-'} ${transaction.verification}`;
  });
const records = () =>
  world.rows(
    'SELECT t.verification, t.status, t.is_withheld, array_agg(m.amount_raw::text ORDER BY m.index) AS amounts FROM transactions t JOIN transfers m ON m.transaction_id = t.id GROUP BY t.id ORDER BY t.block_number, t.tx_index',
  );
const rowsAsked = () => world.rows<{ verdict: string }>('SELECT verdict FROM unproved_transactions');
const untilTold = (count: number) =>
  waitFor(async () => (await told()).length === count, { intervalMs: 5, message: `${count} events` });
const untilContradicted = () =>
  waitFor(
    async () =>
      (await incidents(world)).some((one) => 'is_contradicted' in one && one.is_contradicted === true),
    {
      intervalMs: 5,
      message: 'the contradiction',
    },
  );
/** As if the wait for others were over. */
const passWait = () =>
  world.db.query(
    `UPDATE unproved_transactions SET created_at = created_at - interval '2 hours' WHERE verdict = 'attested'`,
  );

describe('a transaction that one node attests', () => {
  it('is confirmed on the word of the only endpoint, though it may lie', async () => {
    await takeFinal(await start(endpoint('one', { change: lie })));
    expect(await told()).toEqual(['transaction.detected 6 attested', 'transaction.confirmed 6 attested']);
    expect(await rowsAsked()).toEqual([]);
  });

  it('is agreed where an endpoint of another operator tells the same, asked once for the block', async () => {
    const two = endpoint('two');
    const block = await start(endpoint('one'), two);
    await waitFor(async () => (await rowsAsked()).length === 0 && two.asked.length > 0, {
      message: 'the answer',
    });
    await takeFinal(block);
    expect(await told()).toEqual(['transaction.detected 5 attested', 'transaction.confirmed 5 agreed']);
    expect(two.asked).toEqual([block.hash]);
    expect(await incidents(world)).toEqual([]);
  });

  it('is confirmed as soon as the other one answers, where its block was final before', async () => {
    const two = endpoint('two', { isAway: true });
    await takeFinal(await start(endpoint('one'), two));
    expect(await told()).toEqual(['transaction.detected 5 attested']);
    two.isAway = false;
    await untilTold(2);
    expect((await told())[1]).toBe('transaction.confirmed 5 agreed');
  });

  it('is still asked about after its block was read again', async () => {
    const two = endpoint('two', { isAway: true });
    const block = await start(endpoint('one'), two);
    await takeFinal(block);
    await reprocess(world, block.number, block.number);
    expect(await rowsAsked()).toEqual([{ verdict: 'attested' }]);
    two.isAway = false;
    await world.db.query('UPDATE unproved_transactions SET due_at = now()');
    await untilTold(2);
    expect((await told())[1]).toBe('transaction.confirmed 5 agreed');
  });

  it('is asked about for nobody where nobody takes part', async () => {
    const two = endpoint('two');
    world.chain.endpoints = [endpoint('one'), two];
    world.startAnalyzer();
    await world.feedBlocks(world.chain.make(undefined, { transactions: [payment] }));
    await world.settle();
    expect([await rowsAsked(), two.asked]).toEqual([[], []]);
  });
});

describe('a liar beside an honest node', () => {
  it('gets nothing confirmed: an incident names it, and the truth is told once it is read', async () => {
    const one = endpoint('one', { change: lie });
    const two = endpoint('two');
    const block = await start(one, two);
    await untilContradicted();
    await takeFinal(block);
    expect(await told()).toEqual(['transaction.detected 6 attested']);
    expect(await records()).toEqual([
      { verification: 'unproved', status: 'detected', is_withheld: true, amounts: ['6'] },
    ]);
    expect(await incidents(world)).toMatchObject([
      {
        kind: 'attestation:contradicted',
        status: 'open',
        is_contradicted: true,
        transaction_hash: payment.hash,
      },
    ]);
    // The liar is corrected, and the operator has the block read again.
    one.change = (told) => told;
    await reprocess(world, block.number, block.number);
    await untilTold(4);
    expect((await told()).slice(1)).toEqual([
      'transaction.reorged 6 unproved',
      'transaction.detected 5 attested',
      'transaction.confirmed 5 agreed',
    ]);
    expect(await records()).toEqual([
      { verification: 'agreed', status: 'confirmed', is_withheld: false, amounts: ['5'] },
    ]);
    expect(await incidents(world)).toMatchObject([{ status: 'resolved' }]);
  });

  it('stays contradicted when it is read again, also while the honest one is away', async () => {
    const two = endpoint('two');
    const block = await start(endpoint('one', { change: lie }), two);
    await untilContradicted();
    await takeFinal(block);
    two.isAway = true;
    await reprocess(world, block.number, block.number);
    await passWait();
    await world.feedBlocks(world.chain.make(block));
    await world.settle();
    expect(await told()).toEqual(['transaction.detected 6 attested']);
    two.isAway = false;
    // What was asked for while it was away may end only now, and put the next time off.
    await waitFor(
      async () => {
        await world.db.query('UPDATE unproved_transactions SET due_at = now()');
        return (await rowsAsked())[0]?.verdict === 'contradicted';
      },
      { message: 'the verdict' },
    );
    expect(await records()).toMatchObject([{ verification: 'unproved', is_withheld: true }]);
  });

  it('is believed where the operator vouches for it', async () => {
    const block = await start(endpoint('one', { change: lie }), endpoint('two'));
    await untilContradicted();
    await takeFinal(block);
    await accept(world);
    await untilTold(2);
    expect((await told())[1]).toBe('transaction.confirmed 6 trusted');
  });

  it('hides a payment inside of a transaction from nobody', async () => {
    const one = endpoint('one', {
      change: (block) => ({
        ...block,
        transactions: block.transactions.map((transaction) => ({
          ...transaction,
          from: ALICE,
          transfers: [],
        })),
      }),
    });
    await start(one, endpoint('two'));
    await untilContradicted();
    expect(await world.rows('SELECT verification, is_withheld FROM transactions')).toEqual([
      { verification: 'unproved', is_withheld: true },
    ]);
  });
});

describe('two liars of one operator', () => {
  it('agree on nothing: the honest node contradicts both', async () => {
    const block = await start(
      endpoint('one', { change: lie }),
      endpoint('one', { change: lie }),
      endpoint('two'),
    );
    await untilContradicted();
    await takeFinal(block);
    expect(await told()).toEqual(['transaction.detected 6 attested']);
  });

  it('are one word, which is never agreed while the honest node is away', async () => {
    const two = endpoint('two', { isAway: true });
    const block = await start(endpoint('one', { change: lie }), endpoint('one', { change: lie }), two);
    await takeFinal(block);
    // No longer withheld than others may need to answer.
    await passWait();
    await untilTold(2);
    expect((await told())[1]).toBe('transaction.confirmed 6 attested');
    expect(await incidents(world)).toEqual([]);
  });
});

describe('an honest node that is away for a minute', () => {
  it('delays no block, and is not asked for ever', async () => {
    const two = endpoint('two', { isAway: true });
    const block = await start(endpoint('one', { change: lie }), two);
    const next = world.chain.make(block);
    await world.feedBlocks(next);
    await takeFinal(next);
    await world.db.query(
      `UPDATE unproved_transactions SET created_at = created_at - interval '61 minutes', due_at = now()`,
    );
    await waitFor(async () => (await told()).length === 2, { message: 'the confirmation' });
    // Asked for no longer than an hour.
    expect(await rowsAsked()).toEqual([]);
  });

  it('is heard once it is back', async () => {
    await world.stop();
    world = await SpecWorld.start(postgres, { pollMs: 100, attestWaitMs: 1 });
    const two = endpoint('two', { isAway: true });
    await takeFinal(await start(endpoint('one', { change: lie }), two));
    await untilTold(2);
    expect((await told())[1]).toBe('transaction.confirmed 6 attested');
    two.isAway = false;
    await world.db.query('UPDATE unproved_transactions SET due_at = now()');
    await untilContradicted();
    expect(await records()).toMatchObject([{ verification: 'attested', status: 'confirmed' }]);
  });
});

describe('nodes that show less', () => {
  it.each([
    ['no moves inside of contracts', 'internal'],
    ['logs alone', 'all_but_logs'],
  ] as const)(
    'are no contradiction where they show %s, unless the logs are others',
    async (_what, leavesOut) => {
      const showLess = (block: Block): Block => ({
        ...block,
        leavesOut,
        transactions: block.transactions.map(({ fee: _fee, ...transaction }) => transaction),
      });
      const two = endpoint('two', { change: showLess });
      const block = await start(endpoint('one'), two);
      await waitFor(() => two.asked.length > 0, { message: 'the question' });
      await takeFinal(block);
      expect([await incidents(world), await rowsAsked()]).toEqual([[], [{ verdict: 'attested' }]]);
      two.change = (told) => showLess(lie(told));
      await world.db.query('UPDATE unproved_transactions SET due_at = now()');
      await untilContradicted();
    },
  );
});

describe('a fee that only the node tells', () => {
  it('makes a payment attested to whoever pays it, and to nobody else', async () => {
    const fee = { assetGid: NATIVE, amountRaw: 1n, payer: BOB, isAttested: true };
    const { verification: _, ...proved } = pay('with a fee', { fee });
    world.chain.endpoints = [endpoint('one')];
    const [payer, receiver] = [await world.addProject(), await world.addProject()];
    await world.watch(payer, BOB);
    await world.watch(receiver, ALICE);
    world.startAnalyzer();
    await world.feedBlocks(world.chain.make(undefined, { transactions: [proved] }));
    await world.settle();
    const rows = await world.rows<{ project_id: string; verification: string }>(
      'SELECT project_id, verification FROM transactions',
    );
    expect(new Map(rows.map((row) => [row.project_id, row.verification]))).toEqual(
      new Map([
        [payer, 'attested'],
        [receiver, 'proved'],
      ]),
    );
  });
});

describe('the history of an address', () => {
  const past = async (...endpoints: readonly SpecEndpoint[]) => {
    world.chain.endpoints = endpoints;
    const project = await world.addProject();
    world.startAnalyzer();
    const block = world.chain.make(undefined, { transactions: [payment] });
    const next = world.chain.make(block);
    await world.feedBlocks(block, next);
    await takeFinal(next);
    await world.db.transaction(async (sql) =>
      world.askForHistory(await world.watch(project, ALICE, sql), 1, sql),
    );
    await waitFor(
      async () => (await world.rows(`SELECT FROM address_histories WHERE status = 'complete'`)).length === 1,
      { message: 'the history' },
    );
  };

  it('is agreed before it is confirmed', async () => {
    await past(endpoint('one'), endpoint('two'));
    expect(await told()).toEqual(['transaction.confirmed 5 agreed']);
  });

  it('holds no credit that another operator contradicts', async () => {
    await past(endpoint('one', { change: lie }), endpoint('two'));
    expect(await told()).toEqual([]);
    expect(await records()).toMatchObject([{ verification: 'unproved', is_withheld: true }]);
    expect(await incidents(world)).toMatchObject([{ kind: 'attestation:contradicted', status: 'open' }]);
  });

  it('is confirmed on one word where nobody else answers', async () => {
    await past(endpoint('one'), endpoint('two', { isAway: true }));
    expect(await told()).toEqual(['transaction.confirmed 5 attested']);
  });
});
