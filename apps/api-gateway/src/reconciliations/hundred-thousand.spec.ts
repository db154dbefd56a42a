// SPDX-License-Identifier: Apache-2.0
import type { Author } from '../management/record-change.ts';
import {
  authorOf,
  COIN,
  insertBookTransactions,
  prepareBooks,
  reconcile,
  TOKEN,
  type BookTransaction,
} from '../spec-support/books.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

const TRANSACTIONS = 100_000;
/** Of every class. */
const ERRORS = 20;
const OWN = Array.from({ length: 50 }, (_, index) => addressOf(index + 1));
const STRANGER = addressOf(1_000_000);
const START = Date.parse('2026-10-01T00:00:00Z');
const FROM = new Date(START);
const TO = new Date('2026-11-01T00:00:00Z');

let world: SpecWorld;
let author: Author;
beforeAll(async () => {
  world = await startSpecWorld();
  await prepareBooks(world, OWN);
  author = await authorOf(world.db, world.project);
  const monitored = new Set(OWN);
  for (let start = 0; start < TRANSACTIONS + 2 * ERRORS; start += 5_000)
    await insertBookTransactions(
      world.db,
      { projectId: world.project.projectId, monitored },
      Array.from({ length: Math.min(5_000, TRANSACTIONS + 2 * ERRORS - start) }, (_, index) =>
        makeTransaction(start + index),
      ),
    );
  // As autovacuum does it for tables that grow by themselves.
  await world.db.query(
    'ANALYZE transactions; ANALYZE transfers; ANALYZE transaction_addresses; ANALYZE addresses',
  );
}, 600_000);
afterAll(() => world.stop());

/** Places that are far from each other, one for each error of a class. */
const placesOf = (kind: number): Set<number> =>
  new Set(Array.from({ length: ERRORS }, (_, index) => index * 5_000 + kind * 7 + (index % 5)));
const KINDS = {
  missingInBooks: placesOf(1),
  amountDiffers: placesOf(2),
  duplicate: placesOf(3),
  unconfirmed: placesOf(4),
  invalid: placesOf(5),
} as const;

it('a ledger of 100,000 rows with 20 errors of every class: all are found, and no others', async () => {
  const expected = new Map<string, string[]>();
  const expect1 = (name: string, key: string): void =>
    void expected.set(name, [...(expected.get(name) ?? []), key]);
  function* write(): Generator<string> {
    yield 'reference,hash,address,asset_gid,amount,direction,time\r\n';
    let line = 1;
    const row = (place: number, { hash = hashOf(place), amount = unitsOf(place) } = {}): string => {
      line += 1;
      const isOut = place % 3 === 0;
      const own = OWN[place % OWN.length]!;
      const asset = place % 2 === 0 ? COIN : TOKEN;
      // As people write them: case of hashes and checksums.
      const shown = place % 4 === 0 ? hash.toUpperCase().replace('0X', '0x') : hash;
      return `INV-${place},${shown},${own},${asset},${amount},${isOut ? 'out' : ''},${new Date(START + place * 20_000).toISOString()}\r\n`;
    };
    for (let place = 0; place < TRANSACTIONS; place += 1) {
      if (KINDS.missingInBooks.has(place)) {
        expect1('missing_in_books', hashOf(place));
        continue;
      }
      if (KINDS.amountDiffers.has(place)) {
        yield row(place, { amount: `${place + 2}.5` });
        expect1('amount_differs', `${line}`);
        continue;
      }
      if (KINDS.invalid.has(place)) {
        yield row(place, { amount: '1e5' });
        expect1('invalid', `${line}`);
        // Its movement is in no row that can be read.
        expect1('missing_in_books', hashOf(place));
        continue;
      }
      yield row(place);
      if (KINDS.unconfirmed.has(place)) expect1('unconfirmed', `${line}`);
      if (KINDS.duplicate.has(place)) {
        yield row(place);
        expect1('duplicate', `${line}`);
      }
    }
    for (let index = 0; index < ERRORS; index += 1) {
      yield row(5_000 * index, { hash: hashOf(10_000_000 + index) });
      expect1('missing_on_chain', `${line}`);
    }
  }
  const outcomes = await reconcile(world.db, author, {
    ...{ text: write(), format: 'csv', scope: 'project', includeFees: false, from: FROM, to: TO },
  });
  // Above all: a mistake would be told a hundred thousand times.
  expect(outcomes.filter(({ class: name }) => name === 'matched')).toHaveLength(TRANSACTIONS - 4 * ERRORS);
  const found = new Map<string, string[]>();
  for (const { class: name, line, hash } of outcomes)
    if (name !== 'matched') found.set(name, [...(found.get(name) ?? []), String(line ?? hash)]);
  for (const [name, keys] of expected) expect([name, found.get(name)?.sort()]).toEqual([name, keys.sort()]);
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  expect(expected.get('missing_on_chain')).toHaveLength(ERRORS);
  const { rows } = await world.db.query<{ counts: object; status: string; rows_done: number }>(
    'SELECT counts, status, rows_done FROM reconciliations WHERE id = $1',
    [outcomes[0]!.id],
  );
  expect(rows[0]).toMatchObject({
    status: 'completed',
    counts: {
      matched: TRANSACTIONS - 4 * ERRORS,
      ...{ missing_in_books: 2 * ERRORS, missing_on_chain: ERRORS, amount_differs: ERRORS },
      ...{ duplicate: ERRORS, unconfirmed: ERRORS, invalid: ERRORS },
    },
  });
}, 600_000);

/** One transfer in or out; those behind the last are outside of the window. */
function makeTransaction(place: number): BookTransaction {
  const own = OWN[place % OWN.length]!;
  const isOut = place % 3 === 0;
  const isCoin = place % 2 === 0;
  return {
    hash: hashOf(place),
    status: KINDS.unconfirmed.has(place)
      ? (['detected', 'pending', 'reorged'] as const)[place % 3]!
      : 'confirmed',
    time: new Date(place < TRANSACTIONS ? START + place * 20_000 : TO.getTime() + place),
    ...{ feePayer: isOut ? own : STRANGER, fee: 21_000n },
    transfers: [
      {
        ...{ from: isOut ? own : STRANGER, to: isOut ? STRANGER : own, assetGid: isCoin ? COIN : TOKEN },
        amount: BigInt(place + 1) * (isCoin ? 10n ** 18n : 10n ** 6n),
      },
    ],
  };
}

function unitsOf(place: number): string {
  return `${place + 1}.000`;
}

function hashOf(place: number): string {
  return `0xabcdef${place.toString(16).padStart(58, '0')}`;
}

function addressOf(index: number): string {
  return `0x${index.toString(16).padStart(40, '0')}`;
}
