// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BitcoinClient } from './bitcoin-client.ts';
import { matchKeyOf } from './script-address.ts';
import { createFakeChain } from './spec-fake-chain.ts';
import { startFakeNode } from './spec-fake-node.ts';
import type { FakeNode } from './spec-fake-node.ts';
import { describeFixtures, networkNamed, readJson } from './spec-fixtures.ts';

const network = networkNamed('bitcoin-regtest');
const one = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const other = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r';
const chain = createFakeChain(3);
const tip = chain.blocks[2]!.getId();
const txid = (digit: string): string => digit.repeat(64);

type Route = () => unknown;
let node: FakeNode;
let index: Server;
let client: BitcoinClient;
let asked: string[];

/** An index by path; what is not there is 404. */
async function start(
  routes: Record<string, Route>,
  gettxout: (...params: never[]) => unknown = () => ({ coinbase: false }),
): Promise<void> {
  asked = [];
  node = await startFakeNode({ methods: { ...chain.methods, gettxout } });
  index = createServer((req, res) => {
    const path = (req.url ?? '').replace(/^\/api/, '');
    asked.push(path);
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    const answer = route?.();
    if (answer === undefined) return void res.writeHead(404).end('not found');
    res.writeHead(200).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => index.listen(0, '127.0.0.1', resolve));
  const { port } = index.address() as AddressInfo;
  client = new BitcoinClient({ network, endpointUrl: node.url, indexUrl: `http://127.0.0.1:${port}/api/` });
}

afterEach(async () => {
  client.close();
  await node.stop();
  await new Promise((resolve) => {
    index.close(resolve);
    index.closeAllConnections();
  });
});

const utxo = (id: string, value: number, height: number | undefined): object => ({
  txid: id,
  vout: 0,
  value,
  status:
    height === undefined ? { confirmed: false } : { confirmed: true, block_height: height, block_hash: tip },
});
const stats = (count: number, sum: number, spent = 0): object => ({
  chain_stats: {
    funded_txo_count: count + spent,
    funded_txo_sum: sum + spent * 10,
    spent_txo_count: spent,
    spent_txo_sum: spent * 10,
    tx_count: 9,
  },
});

describe('an index beside the node', () => {
  it('gives confirmed coins at its tip, the node tells which are a coinbase’s', async () => {
    await start(
      {
        '/blocks/tip/hash': () => tip,
        [`/address/${one}`]: () => stats(2, 300, 4),
        [`/address/${one}/utxo`]: () => [
          utxo(txid('a'), 100, 1),
          utxo(txid('b'), 200, 3),
          utxo(txid('c'), 999, undefined),
        ],
        [`/address/${other}`]: () => stats(0, 0, 3),
      },
      (id: string) => ({ coinbase: id === txid('a') }),
    );
    expect(await client.coins.scanCoins([one, other])).toEqual({
      at: { number: 3, hash: tip },
      coins: [
        { txid: txid('a'), vout: 0, address: one, amountRaw: 100n, isCoinbase: true, blockNumber: 1 },
        { txid: txid('b'), vout: 0, address: one, amountRaw: 200n, isCoinbase: false, blockNumber: 3 },
      ],
    });
    expect(asked).not.toContain(`/address/${other}/utxo`);
  });

  it('that tells no totals is believed', async () => {
    await start({
      '/blocks/tip/hash': () => `${tip}\n`,
      [`/address/${one}/utxo`]: () => [utxo(txid('a'), 100, 1)],
    });
    expect((await client.coins.scanCoins([one]))?.coins).toHaveLength(1);
  });

  it('that hides coins which the mempool spends is asked for those, too', async () => {
    const spender = {
      txid: txid('e'),
      vin: [
        {
          txid: txid('d'),
          vout: 5,
          is_coinbase: false,
          prevout: { scriptpubkey: matchKeyOf(one), value: 70 },
        },
        {
          txid: txid('c'),
          vout: 1,
          is_coinbase: false,
          prevout: { scriptpubkey: matchKeyOf(other), value: 5 },
        },
        // An unconfirmed parent: not a coin of the chain.
        {
          txid: txid('f'),
          vout: 0,
          is_coinbase: false,
          prevout: { scriptpubkey: matchKeyOf(one), value: 6 },
        },
      ],
      status: { confirmed: false },
    };
    await start({
      '/blocks/tip/hash': () => tip,
      [`/address/${one}`]: () => stats(2, 170),
      [`/address/${one}/utxo`]: () => [utxo(txid('a'), 100, 1)],
      [`/address/${one}/txs/mempool`]: () => [spender],
      [`/tx/${txid('d')}`]: () => ({ vin: [], status: { confirmed: true, block_height: 2 } }),
      [`/tx/${txid('f')}`]: () => ({ vin: [], status: { confirmed: false } }),
    });
    expect((await client.coins.scanCoins([one]))?.coins).toEqual([
      { txid: txid('a'), vout: 0, address: one, amountRaw: 100n, isCoinbase: false, blockNumber: 1 },
      { txid: txid('d'), vout: 5, address: one, amountRaw: 70n, isCoinbase: false, blockNumber: 2 },
    ]);
  });

  it('whose tip moves meanwhile is asked again', async () => {
    const tips = [chain.blocks[1]!.getId(), tip, tip, tip];
    await start({
      '/blocks/tip/hash': () => tips.shift(),
      [`/address/${one}`]: () => stats(1, 100),
      [`/address/${one}/utxo`]: () => [utxo(txid('a'), 100, 1)],
    });
    expect((await client.coins.scanCoins([one]))?.at).toEqual({ number: 3, hash: tip });
    expect(tips).toEqual([]);
  });

  it('that is ahead of the node, or contradicts itself, is not believed', async () => {
    await start({ '/blocks/tip/hash': () => txid('9'), [`/address/${one}`]: () => stats(0, 0) });
    await expect(client.coins.scanCoins([one])).rejects.toMatchObject({
      code: 'node_error',
      retryable: true,
    });
    client.close();
    await node.stop();
    index.close();
    await start({
      '/blocks/tip/hash': () => tip,
      [`/address/${one}`]: () => stats(2, 300),
      [`/address/${one}/utxo`]: () => [utxo(txid('a'), 100, 1)],
      [`/address/${one}/txs/mempool`]: () => [],
    });
    await expect(client.coins.scanCoins([one])).rejects.toThrow('the tip kept moving');
  });

  it('tells of a coin that was spent since whether it was a coinbase’s', async () => {
    await start(
      {
        '/blocks/tip/hash': () => tip,
        [`/address/${one}`]: () => stats(1, 100),
        [`/address/${one}/utxo`]: () => [utxo(txid('a'), 100, 1)],
        [`/tx/${txid('a')}`]: () => ({
          vin: [{ txid: txid('0'), vout: 4294967295, is_coinbase: true, prevout: null }],
          status: { confirmed: true, block_height: 1 },
        }),
      },
      () => null,
    );
    expect((await client.coins.scanCoins([one]))?.coins[0]?.isCoinbase).toBe(true);
  });

  it.each<[string, Record<string, Route>]>([
    ['no tip', {}],
    ['a tip that is no hash', { '/blocks/tip/hash': () => 'soon' }],
    ['no list of coins', { '/blocks/tip/hash': () => tip, [`/address/${one}/utxo`]: () => ({}) }],
    [
      'coins with fractions',
      { '/blocks/tip/hash': () => tip, [`/address/${one}/utxo`]: () => [utxo(txid('a'), 0.5, 1)] },
    ],
    [
      'coins of later blocks',
      { '/blocks/tip/hash': () => tip, [`/address/${one}/utxo`]: () => [utxo(txid('a'), 5, 4)] },
    ],
    ['no JSON', { '/blocks/tip/hash': () => tip, [`/address/${one}/utxo`]: () => '<html>' }],
  ])('with %s is refused', async (_name, routes) => {
    await start(routes);
    const error: unknown = await client.coins.scanCoins([one]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'node_error', retryable: true });
    expect(String(error)).not.toContain(one);
  });
});

describeFixtures('a recorded answer of an index', () => {
  it('gives the coins that it lists', async () => {
    const recorded = readJson<
      { txid: string; vout: number; value: number; status: { block_height: number } }[]
    >('esplora/esplora-utxo-1.json');
    const shifted = recorded.map((coin) => ({ ...coin, status: { ...coin.status, block_height: 2 } }));
    await start({ '/blocks/tip/hash': () => tip, [`/address/${one}/utxo`]: () => shifted });
    const coins = (await client.coins.scanCoins([one]))?.coins;
    expect(coins?.map(({ txid: id, vout, amountRaw }) => [id, vout, Number(amountRaw)])).toEqual(
      recorded.map(({ txid: id, vout, value }) => [id, vout, value]),
    );
  });
});
