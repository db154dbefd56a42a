// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { waitFor } from '@chainwatch/testing';
import type { Author } from '../management/record-change.ts';
import {
  authorOf,
  COIN,
  insertBookTransactions,
  prepareBooks,
  readOutcomes,
  type BookTransaction,
} from '../spec-support/books.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { BATCH } from './read-rows.ts';
import { receiveLedger } from './receive-ledger.ts';
import { reconcileStep } from './reconcile-step.ts';

const OWN = `0x${'a'.repeat(40)}`;
const STRANGER = `0x${'c'.repeat(40)}`;
const hashOf = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`;
const rowOf = (index: number, amount = 1): string => `${hashOf(index)},${OWN},${COIN},${amount}\n`;

let world: SpecWorld;
let author: Author;
beforeAll(async () => {
  world = await startSpecWorld();
  await prepareBooks(world, [OWN]);
  author = await authorOf(world.db, world.project);
}, 60_000);
afterAll(() => world.stop());

/** Detected now. */
function add(indexes: readonly number[], amounts = [1n]): Promise<void> {
  const transactions = indexes.map<BookTransaction>((index) => ({
    ...{ hash: hashOf(index), status: 'confirmed', time: new Date() },
    transfers: amounts.map((amount) => ({ from: STRANGER, to: OWN, assetGid: COIN, amount })),
  }));
  const target = { projectId: world.project.projectId, monitored: new Set([OWN]) };
  return insertBookTransactions(world.db, target, transactions);
}

it('finds what was detected while the rest of the ledger arrived', async () => {
  const count = BATCH + 500;
  const late = [1, 2, BATCH - 1];
  async function* send(): AsyncGenerator<Buffer, void> {
    const rows = Array.from({ length: count }, (_, place) => rowOf(place + 1)).join('');
    yield Buffer.from(`hash,address,asset_gid,amount_raw\n${rows}`);
    await waitFor(
      async () => (await world.db.query('SELECT FROM reconciliation_rows LIMIT 1')).rowCount === 1,
      { timeoutMs: 20_000 },
    );
    await add(late.slice(1));
    // Two rows of one transaction: the second one is sent when it is there.
    await add([1], [1n, 3n]);
    yield Buffer.from(rowOf(1, 3));
  }
  const id = await receiveLedger(world.db, author, {
    ...{ format: 'csv', scope: 'project', includeFees: false, name: undefined },
    ...{ from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) },
    bytes: Readable.from(send(), { objectMode: false }),
  });
  await add([count + 1]);
  while (await reconcileStep(world.db));
  const outcomes = await readOutcomes(world.db, id);
  const matched = outcomes.filter((outcome) => outcome.class === 'matched').map(({ hash }) => hash);
  expect(matched).toEqual([...late, 1].map(hashOf));
  const missing = outcomes.filter((outcome) => outcome.class === 'missing_on_chain');
  expect(missing).toHaveLength(count + 1 - matched.length);
  expect(new Set(missing.map(({ reason }) => reason))).toEqual(
    new Set(['transaction: the project has none with this hash']),
  );
  // What was detected after the upload is of the next one.
  expect(outcomes).toHaveLength(count + 1);
  const { body } = await world.api.get(`/reconciliations/${id}`).expect(200);
  expect(body.counts).toMatchObject({
    ...{ matched: matched.length, missing_on_chain: missing.length, missing_in_books: 0 },
  });
}, 60_000);
