// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Harness, type PlayScript } from '../harness.ts';
import { Random } from '../random.ts';
import type { TestChain, Watched } from '../test-chain.ts';
import { askStatement, type BalanceLine } from './ask-statement.ts';

interface StatementProof<C extends TestChain> {
  readonly chain: C;
  readonly playScript: PlayScript<C>;
  readonly steps: number;
  /** Above what is final. */
  readonly reorgDepthMax: number;
  /** Of balances that are explained whole. */
  readonly isKnown: (assetGid: string) => boolean;
  /** The addresses that are watched before the period begins. */
  readonly listWallets: (chain: C) => Promise<readonly string[]>;
  /** Blocks pay one of the wallets without a transaction of somebody. @returns the wallet, and what it got */
  readonly reward?: (chain: C) => Promise<{ readonly address: string; readonly amountRaw: bigint }>;
}

const PARTS = 4;
const SEED = Number(process.env['SOAK_SEED'] ?? 1);

interface Detail {
  readonly asset_gid: string;
  readonly total_raw: string;
}

/** By the real services: after a random history with reorganizations each balance of a statement is explained. */
export function describeStatement<C extends TestChain>(proof: StatementProof<C>): void {
  const { chain } = proof;
  const harness = new Harness(chain, { env: { STATEMENT_KEY: randomBytes(32).toString('base64') } });
  const own: Watched[] = [];
  beforeAll(async () => {
    await harness.start();
    for (const wallet of await proof.listWallets(chain)) own.push(await harness.watch(wallet));
    await harness.settle();
  });
  afterAll(() => harness.stop());

  describe(`a statement of ${chain.family}`, () => {
    it('explains every balance of a random history with reorganizations, and is signed', async () => {
      const from = await boundaryOf(harness);
      const random = new Random(SEED);
      const options = { steps: Math.ceil(proof.steps / PARTS), reorgDepthMax: proof.reorgDepthMax };
      const played: Watched[] = [];
      // Balances are read on the way, too: a burst of blocks is over before a first reading of a node that knows its head alone.
      for (let part = 0; part < PARTS; part += 1) {
        played.push(...(await proof.playScript(harness, random, options)));
        await harness.settle();
      }
      const reward = await proof.reward?.(chain);
      await harness.settle();
      const watched = await harness.readWatched(harness.project, [...own, ...played]);
      expect(await chain.findBalanceFaults(harness.project, watched)).toEqual([]);
      const addresses = [...new Set(watched.map(({ address }) => address))];
      const { balances, movements, gaps } = await askStatement(harness, {
        ...{ addresses, from, to: await boundaryOf(harness) },
      });
      const known = balances.filter((line) => proof.isKnown(line.asset_gid));
      for (const line of known) {
        expect([line.address, line.asset_gid, line.unexplained_raw]).toEqual([
          line.address,
          line.asset_gid,
          '0',
        ]);
        expect(line.closing!.amount_raw).toBe(await currentOf(harness, line));
      }
      expect(known.length).toBeGreaterThanOrEqual(own.length);
      expect(movements.filter(({ is_counted: isCounted }) => isCounted).length).toBeGreaterThan(10);
      const assets = new Set(known.map((line) => line.asset_gid));
      expect(gaps.filter((gap) => gap.kind === 'unexplained' && assets.has(gap.asset_gid!))).toEqual([]);
      if (reward === undefined) return;
      const rewards = movements.filter(
        ({ address, amount_raw: amount }) =>
          address === reward.address && amount === String(reward.amountRaw),
      );
      expect(rewards).not.toEqual([]);
    });
  });
}

/** Behind every block, and in the past. */
async function boundaryOf(harness: Harness<TestChain>): Promise<Date> {
  const { rows } = await harness.db.query<{ time: Date }>(
    `SELECT max(block_timestamp) AS time FROM blocks WHERE chain_gid = $1 AND status <> 'reorged'`,
    [harness.chain.gid],
  );
  const time = new Date(Math.floor(rows[0]!.time.getTime() / 1_000) * 1_000 + 1_000);
  await harness.until('the clock', 120_000, () => Promise.resolve(Date.now() > time.getTime()));
  return time;
}

/** As the API says it; findBalanceFaults compares that with the node. */
async function currentOf(
  { project }: Harness<TestChain>,
  { address, asset_gid: asset }: BalanceLine,
): Promise<string | undefined> {
  const { items } = await project.get<{ items: Detail[] }>(`/addresses/${address}/balances/details`);
  return items.find((item) => item.asset_gid === asset)?.total_raw;
}
