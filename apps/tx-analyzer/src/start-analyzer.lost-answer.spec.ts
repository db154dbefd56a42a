// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql } from '@chainwatch/data/db';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres);
});
afterEach(() => world.stop());

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

/** What a server that dies in a commit does: the transaction that wrote an event is there, its answer is not. */
function losingOneAnswer(db: Database): Database & { isLost: () => boolean } {
  let isLost = false;
  const hasEvents = async (): Promise<boolean> =>
    (await db.query('SELECT FROM event_log LIMIT 1')).rowCount === 1;
  return {
    pool: db.pool,
    close: () => Promise.resolve(),
    isLost: () => isLost,
    query: ((...args: unknown[]) => {
      const [asked, params] = args as [string | { readonly text: string }, unknown[] | undefined];
      const text = typeof asked === 'string' ? asked : asked.text;
      // The sweep of old rows would find the event later.
      return text.includes('unpublished_events') && Number(params?.[2]) > 0
        ? Promise.resolve({ rows: [], rowCount: 0 })
        : (db.query as (...all: unknown[]) => Promise<unknown>)(...args);
    }) as unknown as Sql['query'],
    transaction: async (work, opening, options) => {
      const result = await db.transaction(work, opening, options);
      if (isLost || !(await hasEvents())) return result;
      isLost = true;
      throw new Error('the connection was cut');
    },
  };
}

it('tells what was committed at once when the answer of the commit was lost', async () => {
  const projectId = await world.addProject();
  await world.watch(projectId, ALICE);
  const transfer = {
    index: 0,
    type: 'native',
    assetGid: NATIVE,
    from: BOB,
    to: ALICE,
    amountRaw: 1n,
  } as const;
  const paid = makeTransaction('1', { from: BOB, to: ALICE, transfers: [transfer] });
  const block = world.chain.make(undefined, { transactions: [paid] });
  const db = losingOneAnswer(world.db);
  world.startAnalyzer({ isDead: false, wrap: () => db });
  await world.feedBlocks(block);
  await waitFor(() => world.bus.published.length > 0);
  expect(db.isLost()).toBe(true);
  expect(world.bus.published.map(({ payload }) => payload.type)).toEqual(['transaction.detected']);
});
