// SPDX-License-Identifier: Apache-2.0
import { parse } from 'csv-parse/sync';
import { eventIdOf } from '@chainwatch/events';
import {
  CHAIN,
  COIN,
  insertBookTransactions,
  prepareBooks,
  TOKEN,
  type BookTransaction,
} from '../../spec-support/books.ts';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';
import { reconcileStep } from '../../reconciliations/reconcile-step.ts';

const OWN = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const STRANGER = `0x${'c'.repeat(40)}`;
const monitored = new Set([OWN.toLowerCase()]);
const TIME = new Date('2026-10-10T12:00:00Z');
const hashOf = (index: number): string => `0x${index.toString(16).padStart(64, 'a')}`;

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
  await prepareBooks(world, [...monitored]);
}, 60_000);
afterAll(() => world.stop());
beforeEach(async () => {
  await world.db.query('DELETE FROM reconciliations');
  await world.db.query('DELETE FROM transactions');
});

async function add(...transactions: readonly BookTransaction[]): Promise<void> {
  await insertBookTransactions(world.db, { projectId: world.project.projectId, monitored }, transactions);
}

/** What came of each row, after the workers have done. */
async function reconcile(text: string, query = 'from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z') {
  const { body, headers } = await world.api
    .post(`/reconciliations?${query}`)
    .set('Content-Type', 'text/csv')
    .send(text)
    .expect(202);
  expect(headers.location).toBe(`/v1/reconciliations/${body.id}`);
  while (await reconcileStep(world.db));
  const { body: done } = await world.api.get(`/reconciliations/${body.id}`).expect(200);
  const { body: rows } = await world.api.get(`/reconciliations/${body.id}/rows`).expect(200);
  return { id: body.id as string, done, rows: rows.items as Record<string, unknown>[] };
}

const incoming = (index: number, more: Partial<BookTransaction> = {}): BookTransaction => ({
  ...{ hash: hashOf(index), status: 'confirmed', time: TIME },
  transfers: [{ from: STRANGER, to: OWN.toLowerCase(), assetGid: COIN, amount: 10n ** 18n }],
  ...more,
});

it('answers with every class, in the list, as CSV, and as JSON lines', async () => {
  await add(incoming(1), incoming(2), incoming(3), incoming(4, { status: 'pending' }), incoming(5));
  const row = (reference: string, index: number, amount: string): string =>
    `${reference},${hashOf(index)},${OWN},${COIN},${amount}`;
  const { id, done, rows } = await reconcile(
    [
      'reference,hash,address,asset_gid,amount',
      row('=1+1', 1, '1.0'),
      row('R2', 2, '0.9'),
      row('R3', 2, '0.9'),
      row('R4', 4, '1'),
      row('R5', 99, '1'),
      row('R6', 3, 'one'),
    ].join('\n'),
    'from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z&name=October',
  );
  expect(done).toMatchObject({
    ...{ name: 'October', status: 'completed', row_count: 6, is_truncated: false, error: null },
    counts: {
      ...{ matched: 1, amount_differs: 1, duplicate: 1, unconfirmed: 1, missing_on_chain: 1, invalid: 1 },
      missing_in_books: 2,
    },
    progress: { rows_done: 6 },
  });
  expect(rows.map(({ line, class: name, difference }) => [line, name, difference])).toEqual([
    [2, 'matched', null],
    [3, 'amount_differs', '-0.1'],
    [4, 'duplicate', null],
    [5, 'unconfirmed', null],
    [6, 'missing_on_chain', null],
    [7, 'invalid', null],
    [null, 'missing_in_books', null],
    [null, 'missing_in_books', null],
  ]);
  expect(rows[3]).toMatchObject({
    reason: expect.stringMatching(/^pending: /),
    chain_amount: '1',
    address: OWN,
  });
  const { body: some } = await world.api
    .get(`/reconciliations/${id}/rows?class=duplicate,invalid&limit=1`)
    .expect(200);
  expect(some.meta).toMatchObject({ total: 2, total_pages: 2 });
  const { body: next } = await world.api
    .get(`/reconciliations/${id}/rows?class=duplicate,invalid&limit=1&cursor=${some.meta.next_cursor}`)
    .expect(200);
  expect([...some.items, ...next.items].map(({ line }) => line)).toEqual([4, 7]);
  const csv = await world.api.get(`/reconciliations/${id}/rows`).set('Accept', 'text/csv').expect(200);
  const table = parse(csv.text, { columns: true }) as Record<string, string>[];
  expect(table).toHaveLength(8);
  expect(table[0]).toMatchObject({ class: 'matched', reference: "'=1+1", amount: '1' });
  const lines = await world.api
    .get(`/reconciliations/${id}/rows?class=missing_in_books`)
    .set('Accept', 'application/x-ndjson')
    .expect(200);
  expect(
    lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).hash)
      .sort(),
  ).toEqual([hashOf(3), hashOf(5)]);
});

it('finds a hash with or without 0x, and in any case', async () => {
  await add(incoming(1), incoming(2), incoming(3));
  const { rows } = await reconcile(
    [
      'hash,address,asset_gid,amount',
      `${hashOf(1).toUpperCase().replace('0X', '0x')},${OWN.toLowerCase()},${COIN},1`,
      `${hashOf(2).slice(2)},${OWN},${COIN},1`,
      `${hashOf(3).slice(2).toUpperCase()},${OWN},${COIN},+1`,
    ].join('\n'),
  );
  expect(rows.map(({ class: name }) => name)).toEqual(['matched', 'matched', 'matched']);
});

it('finds an event that is stored, and one that is not stored any more', async () => {
  await add(incoming(1), incoming(2), incoming(3));
  const { projectId } = world.project;
  const idOf = (index: number) =>
    eventIdOf({ projectId, type: 'transaction.confirmed', chainGid: CHAIN, hash: hashOf(index), epoch: 0 });
  const text = ['event_id,address,asset_gid,amount']
    .concat([idOf(1), idOf(2), '6f1d1f4e-0000-5000-8000-000000000001'].map((id) => `${id},${OWN},${COIN},1`))
    .join('\n');
  const { rows } = await reconcile(text);
  expect(rows.map(({ class: name, reason, hash }) => [name, reason, hash])).toEqual([
    ['matched', null, null],
    ['matched', null, null],
    ['missing_on_chain', 'event: the project has no transaction with this event', null],
    ['missing_in_books', null, hashOf(3)],
  ]);
});

it('matches one row with the sum of several movements, and one with what came back', async () => {
  const own = OWN.toLowerCase();
  await add(
    incoming(1, {
      transfers: [1n, 2n].map((amount) => ({ from: STRANGER, to: own, assetGid: TOKEN, amount })),
    }),
    incoming(2, {
      transfers: [
        { from: own, to: STRANGER, assetGid: TOKEN, amount: 10n },
        { from: STRANGER, to: own, assetGid: TOKEN, amount: 7n },
      ],
    }),
  );
  const { rows } = await reconcile(
    [
      'hash,address,asset_gid,amount_raw',
      `${hashOf(1)},${OWN},${TOKEN},3`,
      `${hashOf(2)},${OWN},${TOKEN},-3`,
    ].join('\n'),
  );
  expect(rows.map(({ class: name, chain_amount }) => [name, chain_amount])).toEqual([
    ['matched', '0.000003'],
    ['matched', '0.000003'],
  ]);
});

it('matches fees that a monitored address paid; those that the books lack are told when asked', async () => {
  const paid = { feePayer: OWN.toLowerCase(), fee: 21_000n } as const;
  await add(incoming(1, paid), incoming(2, paid), incoming(3, { ...paid, status: 'failed', transfers: [] }));
  const text = [
    'hash,address,asset_gid,amount_raw,direction',
    ...[1, 2].map((index) => `${hashOf(index)},${OWN},${COIN},1000000000000000000,in`),
    `${hashOf(1)},${OWN},${COIN},21000,fee`,
  ].join('\n');
  expect((await reconcile(text)).done.counts).toMatchObject({ matched: 3, missing_in_books: 0 });
  const { rows } = await reconcile(
    text,
    'from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z&include_fees=true',
  );
  expect(rows.filter(({ line }) => line === null).map(({ hash, direction }) => [hash, direction])).toEqual([
    [hashOf(2), 'fee'],
    [hashOf(3), 'fee'],
  ]);
});

it('takes the window from the ledger where the request has none; its end is exclusive', async () => {
  await add(
    incoming(1),
    incoming(2, { time: new Date('2026-10-10T12:30:00Z') }),
    incoming(3, { time: new Date('2026-10-10T13:00:00Z') }),
    incoming(4, { time: new Date('2026-10-10T13:00:01Z') }),
  );
  const text = `hash,address,asset_gid,amount,time\n${hashOf(1)},${OWN},${COIN},1,2026-10-10T14:00:00+02:00\n${hashOf(3)},${OWN},${COIN},1,2026-10-10T13:00:00Z`;
  const { done, rows } = await reconcile(text, '');
  expect(done).toMatchObject({ from: '2026-10-10T12:00:00.000Z', to: '2026-10-10T13:00:00.001Z' });
  expect(rows.filter(({ line }) => line === null).map(({ hash }) => hash)).toEqual([hashOf(2)]);
});

it('with scope=ledger only addresses of the ledger may be missing in the books', async () => {
  await add(incoming(1));
  const header = 'hash,address,asset_gid,amount';
  const window = 'from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z';
  expect((await reconcile(header, `${window}&scope=ledger`)).done.counts.missing_in_books).toBe(0);
  expect((await reconcile(header, window)).done.counts.missing_in_books).toBe(1);
  const other = `${header}\n${hashOf(9)},${OWN},${COIN},1`;
  expect((await reconcile(other, `${window}&scope=ledger`)).done.counts.missing_in_books).toBe(1);
});

it('the same request with the same Idempotency-Key is carried out once', async () => {
  const post = (text: string) =>
    world.api
      .post('/reconciliations?from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z')
      .set({ 'Content-Type': 'text/csv', 'Idempotency-Key': 'october' })
      .send(text);
  const [first, second] = [
    await post('hash,address,asset_gid,amount').expect(202),
    await post('hash,address,asset_gid,amount').expect(202),
  ];
  expect(second.body).toEqual(first.body);
  await post('hash,address,asset_gid,amount_raw').expect(422);
  expect((await world.api.get('/reconciliations').expect(200)).body.meta.total).toBe(1);
});

it('is audited, deleted, and gone for everybody; its place is free at once', async () => {
  await add(incoming(1));
  const { id } = await reconcile(`hash,address,asset_gid,amount\n${hashOf(1)},${OWN},${COIN},1`);
  await world.other.get(`/reconciliations/${id}`).expect(404);
  await world.api.delete(`/reconciliations/${id}`).expect(204);
  for (const path of ['', '/rows']) await world.api.get(`/reconciliations/${id}${path}`).expect(404);
  await world.api.delete(`/reconciliations/${id}`).expect(404);
  const { body: log } = await world.management.get('/management/audit_logs?limit=2').expect(200);
  expect(log.items.map(({ action }: { action: string }) => action)).toEqual([
    'reconciliation.deleted',
    'reconciliation.created',
  ]);
});
