// SPDX-License-Identifier: Apache-2.0
import { encodeAbiParameters, keccak256, pad, toHex, type Hex } from 'viem';
import { Harness } from '../harness.ts';
import { EvmChain } from './evm-chain.ts';

interface Adjustment {
  readonly asset_gid: string;
  readonly amount_raw: string;
  readonly since_block: number;
  readonly until_block: number;
}

interface BalanceChanged {
  readonly asset_gid: string;
  readonly delta_raw: string | null;
  readonly changes: readonly {
    readonly reason: string;
    readonly amount_raw: string;
    readonly since_block?: number;
    readonly until_block?: number;
  }[];
}

const MINTED = 12_500_000_000_000_000_017n;
const TOKENS = 777_000n;

// Value that no transaction, log, or trace tells: the node's state is written directly, as by a system call, a bridge's mint,
// an atomic import, or a rebase that a decoder does not know.
describe('value that nothing tells', () => {
  const chain = new EvmChain({ epochBlocks: 4 });
  const harness = new Harness(chain, { env: { BALANCE_ROUND_INTERVAL: '1s' } });
  let wallet: Hex;
  let watched: Awaited<ReturnType<typeof harness.watch>>;
  beforeAll(async () => {
    await harness.start();
    wallet = chain.actor.accounts[3]!;
    watched = await harness.watch(wallet);
    await harness.settle();
    await roundAfter(new Date());
  });
  afterAll(() => harness.stop());

  const list = async (): Promise<readonly Adjustment[]> =>
    (await harness.project.get<{ items: Adjustment[] }>(`/addresses/${wallet}/adjustments`)).items;
  const events = (): BalanceChanged[] =>
    [...harness.receiver.events.values()]
      .filter(({ type }) => type === 'balance.changed')
      .map(({ body }) => body['data'] as BalanceChanged);
  const balanceOf = async (contract: Hex): Promise<bigint> =>
    BigInt(
      await chain.rpc<Hex>('eth_call', [
        { to: contract, data: `0x70a08231${wallet.slice(2).padStart(64, '0')}` },
        'latest',
      ]),
    );

  /** Until a round has read everything that was there at a time. */
  async function roundAfter(time: Date): Promise<void> {
    await harness.until('a round', 60_000, async () => {
      const { sync } = await harness.project.get<{ sync: { balances_checked_at: string | null } }>(
        `/blockchains/${chain.gid}`,
      );
      return sync.balances_checked_at !== null && new Date(sync.balances_checked_at) > time;
    });
  }

  /** Writes the balance into the mapping of the token, whichever slot that is. */
  async function writeTokens(contract: Hex, amount: bigint): Promise<void> {
    for (let slot = 0n; slot < 12n; slot += 1n) {
      const parameters = [{ type: 'address' }, { type: 'uint256' }] as const;
      const key = keccak256(encodeAbiParameters(parameters, [wallet, slot]));
      const before = await chain.rpc<Hex>('eth_getStorageAt', [contract, key, 'latest']);
      await chain.rpc('anvil_setStorageAt', [contract, key, pad(toHex(amount), { size: 32 })]);
      if ((await balanceOf(contract)) === amount) return;
      await chain.rpc('anvil_setStorageAt', [contract, key, before]);
    }
    throw new Error('no slot has the balances');
  }

  it('is found by a round, told once after a second reading, and seen in lists', async () => {
    const native = `${chain.gid}/slip44:60`;
    const { token } = chain.actor.deployed;
    const tokens = `${chain.gid}/erc20:${token.toLowerCase()}`;
    const before = BigInt(await chain.rpc<Hex>('eth_getBalance', [wallet, 'latest']));
    const held = await balanceOf(token);
    const { number: since } = await chain.readHead();
    harness.receiver.events.clear();

    await chain.rpc('anvil_setBalance', [wallet, toHex(before + MINTED)]);
    await writeTokens(token, held + TOKENS);
    // One reading is no proof, and there is no later block.
    await roundAfter(new Date());
    expect(await list()).toEqual([]);
    expect(events()).toEqual([]);

    await chain.mine();
    await harness.until('both differences', 60_000, async () => (await list()).length === 2);
    await harness.settle();
    const found = await list();
    expect(Object.fromEntries(found.map((one) => [one.asset_gid, one.amount_raw]))).toEqual({
      [native]: String(MINTED),
      [tokens]: String(TOKENS),
    });
    for (const { since_block: from, until_block: until } of found) {
      expect(from).toBeLessThanOrEqual(since);
      expect(until).toBe(since + 1);
    }
    expect(events().map(({ asset_gid: asset, changes }) => [asset, changes])).toEqual(
      expect.arrayContaining(
        [
          [native, MINTED],
          [tokens, TOKENS],
        ].map(([asset, amount]) => [
          asset,
          [
            expect.objectContaining({
              reason: 'adjustment',
              amount_raw: String(amount),
              until_block: since + 1,
            }),
          ],
        ]),
      ),
    );
    expect(events()).toHaveLength(2);

    const { items: history } = await harness.project.get<{
      items: { asset_gid: string; adjustment_raw: string | null }[];
    }>(`/addresses/${wallet}/balances/history`);
    expect(history.find(({ asset_gid: asset }) => asset === native)?.adjustment_raw).toBe(String(MINTED));
    const { items: details } = await harness.project.get<{
      items: { asset_gid: string; checked_at: string }[];
    }>(`/addresses/${wallet}/balances/details`);
    await roundAfter(new Date());
    const { items: later } = await harness.project.get<{ items: { checked_at: string }[] }>(
      `/addresses/${wallet}/balances/details`,
    );
    for (const [index, { checked_at: at }] of details.entries())
      expect(new Date(later[index]!.checked_at).getTime()).toBeGreaterThan(new Date(at).getTime());
  });

  it('is no difference where transactions explain it, whatever rounds come between', async () => {
    const [from] = chain.actor.accounts as [Hex];
    const told = (await list()).length;
    for (let count = 0; count < 20; count += 1) {
      await chain.actor.sendEther(from, wallet, BigInt(1_000 + count));
      await chain.mine();
    }
    await harness.settle();
    await roundAfter(new Date());
    await chain.mine();
    await harness.settle();
    await roundAfter(new Date());
    expect(await list()).toHaveLength(told);
    expect(await chain.findBalanceFaults(harness.project, [watched])).toEqual([]);
    expect(harness.receiver.faults).toEqual([]);
  });

  it('is found in contracts whose events no decoder knows', async () => {
    const [from] = chain.actor.accounts as [Hex];
    const gidOf = (contract: Hex): string => `${chain.gid}/erc20:${contract.toLowerCase()}`;
    const coin = gidOf(await chain.actor.deploy('SilentCoin'));
    const rebasing = gidOf(chain.actor.deployed.rebasing);
    await harness.project.listToken(coin);
    await chain.actor.call(from, { contract: 'RebasingToken', name: 'mint', args: [wallet, 1_000n] });
    await chain.mine();
    await harness.settle();
    await roundAfter(new Date());
    const before = (await list()).length;

    // A deposit of its own, what another one sends it, and a rebase: transactions, and no event names the wallet.
    await chain.actor.call(wallet, { contract: 'SilentCoin', name: 'deposit', args: [], wei: 5_000n });
    await chain.actor.call(from, { contract: 'SilentCoin', name: 'deposit', args: [], wei: 7_000n });
    await chain.actor.call(from, { contract: 'SilentCoin', name: 'transfer', args: [wallet, 2_000n] });
    await chain.actor.call(from, { contract: 'RebasingToken', name: 'rebase', args: [150n] });
    await chain.mine();
    await harness.settle();
    await roundAfter(new Date());
    await chain.mine();
    await harness.until('both differences', 60_000, async () => (await list()).length >= before + 2);
    await harness.settle();
    const found = (await list()).slice(0, -before);
    expect(Object.fromEntries(found.map((one) => [one.asset_gid, one.amount_raw]))).toEqual({
      [coin]: '7000',
      [rebasing]: '500',
    });
    expect(await chain.findBalanceFaults(harness.project, [watched])).toEqual([]);
  });
});
