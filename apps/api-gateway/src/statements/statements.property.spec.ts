// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import {
  CHAIN,
  ETHER,
  linesOf,
  makeStatement,
  parseLines,
  startSpecWorker,
  StatementLedger,
  STRANGER,
  timeOf,
  type SpecWorker,
} from '../spec-support/statement-ledger.ts';

const BLOCKS = 40;
const TOKEN = `${CHAIN}/erc20:0x${'11'.repeat(20)}`;

let world: SpecWorld;
let ledger: StatementLedger;
let worker: SpecWorker;
beforeAll(async () => {
  world = await startSpecWorld();
  ledger = new StatementLedger(world);
  await ledger.addChain(BLOCKS);
  await ledger.addAsset(ETHER, 'native');
  await ledger.addAsset(TOKEN);
  worker = startSpecWorker(world);
});
afterAll(async () => {
  await worker.stop();
  await world.stop();
});

const ASSETS = [ETHER, TOKEN] as const;
const step = fc.record({
  block: fc.integer({ min: 1, max: BLOCKS - 1 }),
  asset: fc.constantFrom(...ASSETS),
  amount: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  kind: fc.constantFrom('in', 'out', 'self', 'fee', 'reward', 'silent', 'reorged', 'unproved'),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  steps: fc.array(step, { maxLength: 25 }),
  readings: fc.uniqueArray(fc.integer({ min: 0, max: BLOCKS - 1 }), { minLength: 1, maxLength: 12 }),
  from: fc.integer({ min: 1, max: BLOCKS - 1 }),
  length: fc.integer({ min: 1, max: BLOCKS }),
});

/** What a step does to the balance, and how much of that a statement can explain. */
function effectOf({ kind, asset, amount }: Step): { asset: string; moved: bigint; explained: bigint } {
  switch (kind) {
    case 'in':
    case 'unproved':
      return { asset, moved: amount, explained: amount };
    case 'out':
      return { asset, moved: -amount, explained: -amount };
    case 'self':
      return { asset, moved: 0n, explained: 0n };
    case 'fee':
      return { asset: ETHER, moved: -amount, explained: -amount };
    case 'reward':
      return { asset: ETHER, moved: amount, explained: amount };
    case 'silent':
      return { asset, moved: amount, explained: 0n };
    case 'reorged':
      return { asset, moved: 0n, explained: 0n };
  }
}

async function write(id: string, address: string, { block, asset, amount, kind }: Step): Promise<void> {
  const row = { block, asset, amount, from: STRANGER, to: address };
  switch (kind) {
    case 'in':
      return void (await ledger.addMovement([id], row));
    case 'out':
      return void (await ledger.addMovement([id], { ...row, from: address, to: STRANGER }));
    case 'self':
      return void (await ledger.addMovement([id], { ...row, from: address }));
    case 'fee':
      // A failed transaction: it moves between strangers nothing that concerns us, and is paid.
      return void (await ledger.addMovement([id], {
        ...{ block, amount: 0n, from: STRANGER, to: STRANGER, status: 'failed' },
        fee: { payer: address, amount },
      }));
    case 'reorged':
      return void (await ledger.addMovement([id], { ...row, status: 'reorged' }));
    case 'unproved':
      // A node states the balance: it may be in it.
      return void (await ledger.addMovement([id], { ...row, verification: 'unproved' }));
    case 'reward':
      return void (await world.db.query(
        `INSERT INTO block_changes (address_id, asset_gid, chain_gid, block_number, block_hash, reason, amount_raw)
         SELECT $1, $2, $3, $4, hash, 'reward', $5 FROM blocks WHERE chain_gid = $3 AND number = $4
         ON CONFLICT (address_id, asset_gid, block_number, block_hash, reason) DO UPDATE SET amount_raw = block_changes.amount_raw + excluded.amount_raw`,
        [id, ETHER, CHAIN, block, amount],
      ));
    case 'silent':
  }
}

it('opens and closes with what was read, and leaves unexplained exactly what no movement told', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ steps, readings, from, length }) => {
      const { id, address } = await ledger.addAddress(world.api);
      for (const each of steps) await write(id, address, each);
      const until = (block: number, asset: string, member: 'moved' | 'explained'): bigint =>
        steps
          .filter((each) => each.block <= block)
          .map(effectOf)
          .filter((effect) => effect.asset === asset)
          .reduce((sum, effect) => sum + effect[member], 0n);
      const sorted = [...readings].sort((one, other) => one - other);
      const known = 10n ** 33n;
      for (const asset of ASSETS)
        for (const block of sorted)
          await ledger.addReading(id, block, { [asset]: known + until(block, asset, 'moved') });
      const to = Math.min(BLOCKS - 1, from + length);
      if (to <= from) return;
      const { text, record } = await makeStatement(world.api, {
        ...{ addresses: [address], from: timeOf(from), to: timeOf(to), format: 'ndjson' },
      });
      const lines = parseLines(text);
      const openings = sorted.filter((block) => block < from);
      const opening = openings.at(-1) ?? sorted.find((block) => block < to);
      const closing = sorted.filter((block) => block < to).at(-1);
      const balances = linesOf(lines, 'balance');
      expect(balances.map(({ asset_gid }) => asset_gid).sort()).toEqual([...ASSETS].sort());
      expect(record.progress.unexplained).toBe(
        balances.filter(({ unexplained_raw: raw }) => raw !== null && raw !== '0').length,
      );
      const gaps = linesOf(lines, 'gap');
      for (const balance of balances) {
        const asset = balance.asset_gid;
        const gapsOf = (kind: string) => gaps.filter((gap) => gap.asset_gid === asset && gap.kind === kind);
        expect(balance.opening?.block_number).toBe(opening);
        expect(balance.closing?.block_number).toBe(closing);
        if (opening === undefined || closing === undefined) {
          expect(balance.unexplained_raw).toBeNull();
          expect(gapsOf('no_reading')).toHaveLength(1);
          continue;
        }
        const between = (member: 'moved' | 'explained'): bigint =>
          until(closing, asset, member) - until(opening, asset, member);
        expect(BigInt(balance.opening!.amount_raw)).toBe(known + until(opening, asset, 'moved'));
        expect(BigInt(balance.closing!.amount_raw)).toBe(known + until(closing, asset, 'moved'));
        expect(BigInt(balance.explained_raw)).toBe(between('explained'));
        expect(BigInt(balance.unexplained_raw!)).toBe(between('moved') - between('explained'));
        expect(gapsOf('late_opening')).toHaveLength(openings.length === 0 ? 1 : 0);
        // Each span between two readings in which something silent happened is named, and no other one.
        const spans = sorted
          .filter((block) => block > opening && block <= closing)
          .map((block, place, all) => [place === 0 ? opening : all[place - 1]!, block] as const)
          .filter(([after, block]) => {
            const silent = (member: 'moved' | 'explained') =>
              until(block, asset, member) - until(after, asset, member);
            return silent('moved') !== silent('explained');
          });
        expect(gapsOf('unexplained').map((gap) => [gap.from_block! - 1, gap.to_block])).toEqual(spans);
      }
      // What is listed adds up to what is explained.
      const listed = linesOf(lines, 'movement').filter(({ is_counted: isCounted }) => isCounted);
      for (const asset of ASSETS)
        expect(
          listed
            .filter(({ asset_gid }) => asset_gid === asset)
            .reduce((sum, { amount_raw: raw }) => sum + BigInt(raw), 0n),
        ).toBe(BigInt(balances.find(({ asset_gid }) => asset_gid === asset)!.explained_raw));
    }),
    { numRuns: 60 },
  );
  expect(worker.warnings).toEqual([]);
}, 120_000);
