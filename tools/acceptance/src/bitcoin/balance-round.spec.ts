// SPDX-License-Identifier: Apache-2.0
import { Harness } from '../harness.ts';
import type { Watched } from '../test-chain.ts';
import { BitcoinChain } from './bitcoin-chain.ts';
import { INVENTED, LyingBitcoinNode } from './lying-bitcoin-node.ts';

interface Adjustment {
  readonly asset_gid: string;
  readonly amount_raw: string;
  readonly since_block: number;
  readonly until_block: number;
}

interface Change {
  readonly reason: string;
  readonly amount_raw: string;
}

interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly amount_raw: string;
}

// bcoin has no scantxoutset; the devnet adds it as Bitcoin Core has it (tools/devnet/bitcoin/node/scan-tx-out-set.mjs).
describe('coins that an import got wrong', () => {
  const chain = new BitcoinChain({ hasCoinScan: true });
  const asset = `${chain.gid}/slip44:1`;
  let node: LyingBitcoinNode;
  const harness = new Harness(chain, {
    env: { COIN_ROUND_INTERVAL: '1s' },
    endpointUrl: async (url) => {
      node = new LyingBitcoinNode(url);
      await node.start();
      return node.url;
    },
  });
  beforeAll(() => harness.start());
  afterAll(async () => {
    await harness.stop();
    await node?.stop();
  });

  const readChecked = async (): Promise<string | null> =>
    (await harness.project.get<{ sync: { balances_checked_at: string | null } }>(`/blockchains/${chain.gid}`))
      .sync.balances_checked_at;
  async function roundAfter(time: Date): Promise<void> {
    await harness.until('a round', 60_000, async () => {
      const at = await readChecked();
      return at !== null && new Date(at) > time;
    });
  }
  const list = async (address: string): Promise<readonly Adjustment[]> =>
    (await harness.project.get<{ items: Adjustment[] }>(`/addresses/${address}/adjustments`)).items;
  const balanceOf = async (address: string): Promise<bigint> => {
    const { items } = await harness.project.get<{ items: { total_raw: string }[] }>(
      `/addresses/${address}/balances/details`,
    );
    return BigInt(items[0]?.total_raw ?? '0');
  };
  const coinsOf = async (address: string): Promise<readonly Coin[]> =>
    (await harness.project.get<{ items: Coin[] }>(`/addresses/${address}/utxos`)).items;
  const changesOf = (address: string): Change[] =>
    [...harness.receiver.events.values()]
      .filter(({ type }) => type === 'balance.changed')
      .map(({ body }) => body['data'] as { address: string; changes: Change[] })
      .filter((data) => data.address === address)
      .flatMap(({ changes }) => changes);
  const importWrongly = async (address: string, lie: 'forgetful' | 'inventive'): Promise<Watched> => {
    // Its coins are of blocks that only the import reads.
    await chain.node.mine(2);
    await harness.waitForCursor();
    await node.tell(lie);
    const watched = await harness.watch(address);
    // A coin that is corrected before the first reading is part of it.
    await harness.until('the first reading', 60_000, async () => {
      const { rows } = await harness.db.query(
        `SELECT FROM address_backfills WHERE status <> 'complete' UNION ALL SELECT FROM balance_reads`,
      );
      return rows.length === 0;
    });
    await node.tell('honest');
    await roundAfter(new Date());
    expect(await list(address)).toEqual([]);
    await chain.node.mine();
    await harness.until('the difference', 60_000, async () => (await list(address)).length > 0);
    await harness.settle();
    return watched;
  };

  it('are found after a second scan: a coin that is missing is told once, and spent like any other', async () => {
    const key = chain.actor.book.keys[0]!;
    const missing = (await chain.actor.spendable()).find(({ key: of }) => of === key)!;
    const watched = await importWrongly(key.address, 'forgetful');
    const [found, ...others] = await list(key.address);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ asset_gid: asset, amount_raw: String(missing.value) });
    expect(found!.since_block).toBeLessThan(found!.until_block);
    expect(changesOf(key.address)).toContainEqual(
      expect.objectContaining({ reason: 'adjustment', amount_raw: String(missing.value) }),
    );
    expect(await chain.findBalanceFaults(harness.project, [watched])).toEqual([]);
    // Every coin of the address, that one included.
    const coins = (await chain.actor.spendable()).filter(({ key: of }) => of === key);
    expect((await coinsOf(key.address)).map(({ txid, vout }) => `${txid}:${vout}`).sort()).toEqual(
      coins.map(({ txid, vout }) => `${txid}:${vout}`).sort(),
    );
    const total = coins.reduce((sum, { value }) => sum + value, 0n);
    const stranger = chain.actor.book.strangers[0]!;
    const spend = await chain.actor.send(coins, [{ script: stranger.script, value: total - 10_000n }]);
    await chain.node.mine();
    await harness.settle();
    expect(await balanceOf(key.address)).toBe(0n);
    expect(await harness.project.listAll(`/transactions?hash=${spend!.getId()}`)).toMatchObject([
      { direction: 'out', status: 'confirmed' },
    ]);
    await roundAfter(new Date());
    expect(await list(key.address)).toHaveLength(1);
  });

  it('are found after a second scan: a coin that was never there is spent', async () => {
    const key = chain.actor.book.keys[1]!;
    const watched = await importWrongly(key.address, 'inventive');
    expect(await list(key.address)).toMatchObject([{ amount_raw: String(BigInt(-INVENTED * 1e8)) }]);
    expect((await coinsOf(key.address)).map(({ txid }) => txid)).not.toContain('ab'.repeat(32));
    const held = (await chain.actor.spendable())
      .filter(({ key: of }) => of === key)
      .reduce((sum, { value }) => sum + value, 0n);
    expect(await balanceOf(watched.address)).toBe(held);
  });

  it('are not found where blocks tell everything, whatever a node says once', async () => {
    const key = chain.actor.book.keys[2]!;
    const watched = await harness.watch(key.address);
    await harness.settle();
    for (const lie of ['forgetful', 'inventive'] as const) {
      await node.tell(lie);
      await roundAfter(new Date());
      await node.tell('honest');
      const [coin] = (await chain.actor.spendable()).filter(({ key: of }) => of === key);
      await chain.actor.send([coin!], [{ script: key.script, value: coin!.value - 10_000n }]);
      await chain.node.mine();
      await harness.waitForCursor();
      await chain.node.reorg({ depth: 1 });
      await harness.waitForCursor();
      await chain.node.mine();
      await harness.settle();
      await roundAfter(new Date());
    }
    expect(await list(key.address)).toEqual([]);
    expect(await chain.findBalanceFaults(harness.project, [watched])).toEqual([]);
    const { items } = await harness.project.get<{ items: { checked_at: string | null }[] }>(
      `/addresses/${key.address}/balances/details`,
    );
    expect(items[0]!.checked_at).not.toBeNull();
    expect(harness.receiver.faults).toEqual([]);
  });

  it('are not found where the node does not tell coins, which is told', async () => {
    await node.tell('deaf');
    await harness.until('no round', 60_000, async () => (await readChecked()) === null);
    const { items } = await harness.project.get<{ items: { checked_at: string | null }[] }>(
      `/addresses/${chain.actor.book.keys[2]!.address}/balances/details`,
    );
    expect(items[0]!.checked_at).toBeNull();
  });
});
