// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Author } from '../management/record-change.ts';
import {
  authorOf,
  COIN,
  insertBookTransactions,
  prepareBooks,
  reconcile,
  TOKEN,
  type BookTransaction,
  type Outcome,
} from '../spec-support/books.ts';
import { reconcileNaively, type NaiveRow } from '../spec-support/reconcile-naively.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

const OWN = ['a', 'b'].map((letter) => `0x${letter.repeat(40)}`);
const STRANGER = `0x${'c'.repeat(40)}`;
const monitored = new Set(OWN);
const START = Date.parse('2026-10-01T00:00:00Z');

let world: SpecWorld;
let author: Author;
beforeAll(async () => {
  world = await startSpecWorld();
  await prepareBooks(world, OWN);
  author = await authorOf(world.db, world.project);
}, 60_000);
afterAll(() => world.stop());

const address = fc.constantFrom(...OWN, STRANGER);
const asset = fc.constantFrom(COIN, TOKEN);
const amount = fc.bigInt({ min: 0n, max: 4n });
const transfer = fc.record({ from: address, to: address, assetGid: asset, amount });
const transaction = fc.record({
  status: fc.constantFrom(
    ...([
      'confirmed',
      'confirmed',
      'confirmed',
      'detected',
      'pending',
      'reorged',
      'failed',
      'dropped',
    ] as const),
  ),
  isUnproved: fc.boolean().map((one) => one),
  hour: fc.integer({ min: 0, max: 5 }),
  feePayer: fc.option(address, { nil: undefined }),
  fee: fc.option(amount, { nil: undefined }),
  transfers: fc.array(transfer, { maxLength: 5 }),
});
const row = fc.record({
  transaction: fc.integer({ min: 0, max: 3 }),
  address,
  assetGid: asset,
  direction: fc.constantFrom(undefined, undefined, 'in' as const, 'out' as const, 'fee' as const),
  amount: fc.bigInt({ min: 0n, max: 9n }),
});

const hashOf = (index: number): string => `0x${String(index).padStart(64, '0')}`;

it('random ledgers: each row and each movement that is missing is what the naive oracle says', async () => {
  const { projectId } = world.project;
  await fc.assert(
    fc.asyncProperty(
      fc.array(transaction, { minLength: 1, maxLength: 3 }),
      fc.array(row, { maxLength: 10 }),
      fc.record({ includeFees: fc.boolean(), hours: fc.integer({ min: 1, max: 6 }) }),
      async (made, given, { includeFees, hours }) => {
        await world.db.query('DELETE FROM transactions WHERE project_id = $1', [projectId]);
        await world.db.query('DELETE FROM reconciliations');
        const transactions: BookTransaction[] = made.map(({ hour, ...one }, index) => ({
          ...one,
          isUnproved: one.isUnproved && one.status === 'detected',
          hash: hashOf(index),
          time: new Date(START + hour * 3_600_000),
        }));
        await insertBookTransactions(world.db, { projectId, monitored }, transactions);
        const rows: NaiveRow[] = given.map(({ transaction: index, ...one }, place) => ({
          ...one,
          line: place + 2,
          hash: hashOf(index),
        }));
        const from = new Date(START);
        const to = new Date(START + hours * 3_600_000);
        const outcomes = await reconcile(world.db, author, {
          ...{ format: 'csv', scope: 'project', includeFees, from, to },
          text: toCsv(rows),
        });
        const expected = reconcileNaively(rows, {
          transactions,
          monitored,
          coin: COIN,
          from,
          to,
          includeFees,
        });
        expect(outcomes.filter(({ line }) => line !== null).map(toNaive)).toEqual(expected.outcomes);
        expect(
          outcomes
            .filter(({ line }) => line === null)
            .map(toMissing)
            .sort(),
        ).toEqual(expected.missing);
      },
    ),
    { numRuns: 300 },
  );
}, 300_000);

function toCsv(rows: readonly NaiveRow[]): string {
  const lines = rows.map(
    ({ line, hash, address: own, assetGid, direction = '', amount: raw }) =>
      `${line},${hash},${own},${assetGid},${raw},${direction}`,
  );
  return ['reference,hash,address,asset_gid,amount_raw,direction', ...lines].join('\n');
}

function toNaive({ line, class: name, moved, first_line }: Outcome) {
  return {
    line,
    class: name,
    moved: moved === null ? undefined : BigInt(moved),
    firstLine: first_line ?? undefined,
  };
}

function toMissing({ hash, address: own, asset_gid, direction, moved }: Outcome): string {
  return `${hash} ${own} ${asset_gid} ${direction} ${moved} ${direction === 'fee' ? 'fee' : ''}`.trim();
}
