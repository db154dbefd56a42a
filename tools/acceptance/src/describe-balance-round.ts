// SPDX-License-Identifier: Apache-2.0
import { Harness } from './harness.ts';
import type { PayingChain } from './test-chain.ts';

interface Adjustment {
  readonly asset_gid: string;
  readonly amount_raw: string;
  readonly since_block: number;
  readonly until_block: number;
}

interface BalanceRoundCase<C extends PayingChain> {
  readonly chain: C;
  /** Changes the native balance of `payee` in the node's state: no transaction and no block tells it. */
  readonly addSilently: (chain: C, amountRaw: bigint) => Promise<void>;
  readonly nativeGid: string;
  /** Blocks between the two readings of a difference. */
  readonly blocks: number;
}

const ADDED = 12_345_678n;

/** By the real services: what nothing tells is found, and what transactions tell is no difference. */
export function describeBalanceRound<C extends PayingChain>({
  chain,
  addSilently,
  nativeGid,
  blocks,
}: BalanceRoundCase<C>): void {
  describe(`the balance round on ${chain.family}`, () => {
    const harness = new Harness(chain, { env: { BALANCE_ROUND_INTERVAL: '1s' } });
    beforeAll(async () => {
      await harness.start();
      await harness.watch(chain.payee);
      await harness.settle();
    });
    afterAll(() => harness.stop());

    const list = async (): Promise<readonly Adjustment[]> =>
      (await harness.project.get<{ items: Adjustment[] }>(`/addresses/${chain.payee}/adjustments`)).items;
    async function roundAfter(time: Date): Promise<void> {
      await harness.until('a round', 60_000, async () => {
        const { sync } = await harness.project.get<{ sync: { balances_checked_at: string | null } }>(
          `/blockchains/${chain.gid}`,
        );
        return sync.balances_checked_at !== null && new Date(sync.balances_checked_at) > time;
      });
    }

    it('tells what nothing tells, once, after a second reading', async () => {
      await roundAfter(new Date());
      const before = await list();
      harness.receiver.events.clear();
      await addSilently(chain, ADDED);
      await chain.mine();
      await harness.waitForCursor();
      await roundAfter(new Date());
      await chain.mine(blocks);
      await harness.until('the difference', 60_000, async () => (await list()).length > before.length);
      await harness.settle();
      await roundAfter(new Date());
      const found = (await list()).slice(0, -before.length || undefined);
      expect(found).toMatchObject([{ asset_gid: nativeGid, amount_raw: String(ADDED) }]);
      expect(found[0]!.since_block).toBeLessThan(found[0]!.until_block);
      const changes = [...harness.receiver.events.values()]
        .filter(({ type }) => type === 'balance.changed')
        .flatMap(({ body }) => (body['data'] as { changes: object[] }).changes);
      expect(changes).toEqual([expect.objectContaining({ reason: 'adjustment', amount_raw: String(ADDED) })]);
    });

    it('tells nothing that transactions tell', async () => {
      const before = await list();
      for (let count = 0; count < 6; count += 1) {
        await chain.payPayee();
        await chain.mine();
        await roundAfter(new Date());
      }
      await chain.mine(blocks);
      await harness.settle();
      await roundAfter(new Date());
      expect(await list()).toEqual(before);
      expect(harness.receiver.faults).toEqual([]);
    });
  });
}
