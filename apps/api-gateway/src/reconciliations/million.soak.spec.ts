// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { authorOf, COIN, insertBookTransactions, prepareBooks, reconcileAll } from '../spec-support/books.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

const ROWS = 1_000_000;
const HEAP_MIB_MAX = 128;
const OWN = `0x${'a'.repeat(40)}`;
const STRANGER = `0x${'c'.repeat(40)}`;
const START = Date.parse('2026-10-01T00:00:00Z');
const hashOf = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
  await prepareBooks(world, [OWN]);
}, 60_000);
afterAll(() => world.stop());

it('a ledger of a million rows is received and matched in bounded memory', async () => {
  const { projectId } = world.project;
  const author = await authorOf(world.db, world.project);
  for (let start = 0; start < ROWS; start += 5_000)
    await insertBookTransactions(
      world.db,
      { projectId, monitored: new Set([OWN]) },
      Array.from({ length: 5_000 }, (_, index) => ({
        ...{
          hash: hashOf(start + index),
          status: 'confirmed' as const,
          time: new Date(START + start + index),
        },
        transfers: [{ from: STRANGER, to: OWN, assetGid: COIN, amount: BigInt(start + index + 1) }],
      })),
    );
  await world.db.query('ANALYZE transactions; ANALYZE transfers; ANALYZE transaction_addresses');
  collect();
  const before = process.memoryUsage().heapUsed;
  let peak = 0;
  const watch = setInterval(() => {
    collect();
    peak = Math.max(peak, process.memoryUsage().heapUsed - before);
  }, 500);
  function* write(): Generator<string> {
    yield 'hash,address,asset_gid,amount_raw\n';
    for (let index = 0; index < ROWS; index += 1) yield `${hashOf(index)},${OWN},${COIN},${index + 1}\n`;
  }
  await reconcileAll(world.db, author, {
    ...{ format: 'csv', scope: 'project', includeFees: false, text: write() },
    ...{ from: new Date(START), to: new Date('2026-11-01T00:00:00Z') },
  });
  clearInterval(watch);
  const { rows } = await world.db.query<{ class: string; n: number }>(
    'SELECT class, count(*) AS n FROM reconciliation_rows GROUP BY class',
  );
  expect(rows).toEqual([{ class: 'matched', n: ROWS }]);
  process.stdout.write(`peak heap of a million rows: ${Math.round(peak / 1_048_576)} MiB\n`);
  expect(peak / 1_048_576).toBeLessThan(HEAP_MIB_MAX);
}, 3_600_000);
