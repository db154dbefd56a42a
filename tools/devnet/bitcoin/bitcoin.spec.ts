// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBcoin, type BcoinHandle } from './start-bcoin.ts';
import {
  addressToScript,
  buildTransaction,
  createScriptKey,
  fundWallet,
  payFromWallet,
  SCRIPT_KINDS,
  type KeyedCoin,
  type ScriptKey,
} from './index.ts';

const GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
const FEE = 10_000n;

let node: BcoinHandle;
beforeAll(async () => {
  node = await startBcoin({ hasCoinScan: true });
});
afterAll(() => node.stop());

const createKey = (kind: ScriptKey['kind'] = 'p2wpkh'): ScriptKey => createScriptKey(kind, randomBytes(32));

/** A key with `count` coins of 1 BTC that are confirmed and may be spent. */
async function fund(keys: readonly ScriptKey[]): Promise<KeyedCoin[]> {
  const miner = createKey();
  await node.mine(1, { script: miner.script });
  await node.mine(100);
  const transaction = buildTransaction({
    coins: await node.readCoins([miner]),
    outputs: keys.map(({ script }) => ({ script, value: 50_000_000n })),
  });
  await node.send(transaction);
  await node.mine();
  return keys.map((key, vout) => ({ txid: transaction.getId(), vout, value: 50_000_000n, key }));
}

const pay = (coin: KeyedCoin, to: ScriptKey, fee = FEE): ReturnType<typeof buildTransaction> =>
  buildTransaction({ coins: [coin], outputs: [{ script: to.script, value: coin.value - fee }] });

describe('the wallet of the local chain', () => {
  it('pays from a chain that is kept on disk and was stopped in between', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'chainwatch-bitcoin-'));
    const payee = createKey();
    const outputs = [{ script: payee.script, value: 7_000_000_000n }];
    const first = await startBcoin({ dataDir, hasCoinScan: true });
    await fundWallet(first);
    // The second spends the change of the first, and the subsidies that the first left.
    for (let payment = 0; payment < 2; payment += 1) await payFromWallet(first, outputs);
    await first.mine();
    await first.stop();
    const second = await startBcoin({ dataDir, hasCoinScan: true });
    await payFromWallet(second, outputs);
    await second.mine();
    expect((await second.readCoins([payee])).map(({ value }) => value)).toEqual([
      7_000_000_000n,
      7_000_000_000n,
      7_000_000_000n,
    ]);
    await expect(payFromWallet(second, [{ script: payee.script, value: 100_000_000_000n }])).rejects.toThrow(
      'expected 100000010000 satoshi',
    );
    await second.stop();
    rmSync(dataDir, { recursive: true });
  });
});

describe('the Bitcoin devnet', () => {
  it.each(SCRIPT_KINDS)('reads the address of %s', (kind) => {
    const { address, script } = createKey(kind);
    expect(Buffer.from(addressToScript(address))).toEqual(Buffer.from(script));
  });

  it('has the genesis of Bitcoin Core’s regtest', async () => {
    expect(await node.call('getblockhash', [0])).toBe(GENESIS);
  });

  it('takes spends of every script type into its mempool and into a block', async () => {
    const coins = await fund(SCRIPT_KINDS.map(createKey));
    const payee = createKey('p2tr');
    const transactions = [
      pay(coins[0]!, payee),
      buildTransaction({ coins: coins.slice(1), outputs: [{ script: payee.script, value: 1_000_000n }] }),
    ];
    for (const transaction of transactions) expect(await node.send(transaction)).toBe(transaction.getId());
    await node.mine();
    expect((await node.readCoins([payee])).map(({ txid }) => txid)).toEqual(
      transactions.map((transaction) => transaction.getId()),
    );
    expect(await node.readCoins(coins.map(({ key }) => key))).toEqual([]);
  });

  it.each(SCRIPT_KINDS.filter((kind) => kind !== 'p2tr'))('refuses a wrong signature of %s', async (kind) => {
    const [coin] = await fund([createKey(kind)]);
    const stranger = { ...createKey(kind), script: coin!.key.script };
    await expect(node.send(pay({ ...coin!, key: stranger }, createKey()))).rejects.toMatchObject({
      code: -26,
    });
  });

  it('replaces by fee, descendants included, and refuses a replacement that pays too little', async () => {
    const [coin] = await fund([createKey()]);
    const parent = pay(coin!, createKey());
    const key = createKey();
    const first = pay(coin!, key);
    await node.send(first);
    const child = pay({ txid: first.getId(), vout: 0, value: coin!.value - FEE, key }, createKey());
    await node.send(child);
    await expect(node.send(parent)).rejects.toMatchObject({
      code: -26,
      message: expect.stringContaining('insufficient fee') as string,
    });
    expect((await node.readMempool()).map((transaction) => transaction.getId())).toEqual([
      first.getId(),
      child.getId(),
    ]);
    const bumped = pay(coin!, createKey(), FEE * 5n);
    await node.send(bumped);
    expect((await node.readMempool()).map((transaction) => transaction.getId())).toEqual([bumped.getId()]);
    await node.mine();
  });

  it('takes what orphaned blocks contained back into the mempool, unless the new branch spends the same', async () => {
    const [one, other] = await fund([createKey(), createKey()]);
    const kept = pay(one!, createKey());
    const [doomed, rival] = [pay(other!, createKey()), pay(other!, createKey())];
    const old = await node.mine(1, { transactions: [kept] });
    await node.mine(1, { transactions: [doomed] });
    const height = await node.readHeight();
    const [, ...rest] = await node.reorg({ depth: 2, transactions: [[], [rival]] });
    expect(await node.readHeight()).toBe(height + 1);
    expect(await node.call('getblockhash', [height + 1])).toBe(rest.at(-1));
    expect(await node.call('getblockhash', [height - 1])).not.toBe(old[0]);
    expect((await node.readMempool()).map((transaction) => transaction.getId())).toEqual([kept.getId()]);
    await node.mine();
  });

  it('reorganizes twenty blocks', async () => {
    await node.mine(20);
    const height = await node.readHeight();
    const hashes = await node.reorg({ depth: 20 });
    expect(hashes).toHaveLength(21);
    expect(await node.call('getbestblockhash')).toBe(hashes.at(-1));
    expect(await node.readHeight()).toBe(height + 1);
  });

  it('finds coins by script as Bitcoin Core does', async () => {
    const [coin] = await fund([createKey('p2tr')]);
    const script = Buffer.from(coin!.key.script).toString('hex');
    const { unspents, height } = await node.call<{ unspents: unknown[]; height: number }>('scantxoutset', [
      'start',
      [`raw(${script})`],
    ]);
    expect(unspents).toEqual([
      {
        txid: coin!.txid,
        vout: 0,
        scriptPubKey: script,
        desc: `raw(${script})`,
        amount: 0.5,
        coinbase: false,
        height,
      },
    ]);
  });
});
