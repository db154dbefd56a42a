// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { BitcoinClient } from './bitcoin-client.ts';
import { matchKeyOf } from './script-address.ts';
import { createFakeChain } from './spec-fake-chain.ts';
import { NodeError, startFakeNode } from './spec-fake-node.ts';
import type { FakeNode, FakeNodeOptions } from './spec-fake-node.ts';
import { networkNamed } from './spec-fixtures.ts';

const network = networkNamed('bitcoin-regtest');
const chain = createFakeChain(3);
const tip = chain.blocks[2]!.getId();
// The public keys of 1 and 2, well known.
const one = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const other = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r';
const txid = 'ab'.repeat(32);

let node: FakeNode;
let client: BitcoinClient;

async function start(
  scantxoutset: ((...params: never[]) => unknown) | undefined,
  more: FakeNodeOptions['methods'] = {},
): Promise<void> {
  node = await startFakeNode({
    methods: { ...chain.methods, ...more, ...(scantxoutset === undefined ? {} : { scantxoutset }) },
  });
  client = new BitcoinClient({ network, endpointUrl: node.url });
}

afterEach(async () => {
  client.close();
  await node.stop();
});

const untilAsked = () =>
  waitFor(() => node.calls.some(({ method }) => method === 'scantxoutset'), { message: 'the scan' });

const unspent = (address: string, more: object = {}): object => ({
  txid,
  vout: 0,
  scriptPubKey: matchKeyOf(address),
  desc: 'raw()',
  amount: 0.00012345,
  coinbase: false,
  height: 2,
  ...more,
});
const scanOf = (unspents: readonly object[], more: object = {}): object => ({
  success: true,
  txouts: 9,
  height: 3,
  bestblock: tip,
  unspents,
  total_amount: 1,
  ...more,
});

describe('a scan of the UTXO set', () => {
  it('gives the coins of every address at the block where the node looked', async () => {
    await start(() =>
      scanOf([unspent(one), unspent(other, { vout: 7, amount: 20_999_999.9769, coinbase: true, height: 1 })]),
    );
    expect(await client.coins.scanCoins([one, other])).toEqual({
      at: { number: 3, hash: tip },
      coins: [
        { txid, vout: 0, address: one, amountRaw: 12_345n, isCoinbase: false, blockNumber: 2 },
        {
          txid,
          vout: 7,
          address: other,
          amountRaw: 2_099_999_997_690_000n,
          isCoinbase: true,
          blockNumber: 1,
        },
      ],
    });
    expect(node.calls.find(({ method }) => method === 'scantxoutset')?.params).toEqual([
      'start',
      [`raw(${matchKeyOf(one)})`, `raw(${matchKeyOf(other)})`],
    ]);
  });

  it('waits for another one to end', async () => {
    let left = 2;
    await start(() => {
      if (left-- > 0) throw new NodeError(-8, 'Scan already in progress, use action "abort" or "status"');
      return scanOf([unspent(one)]);
    });
    expect((await client.coins.scanCoins([one]))?.coins).toHaveLength(1);
  });

  it('is called off at the node when the caller leaves', async () => {
    await start((action: string) => (action === 'abort' ? true : new Promise(() => undefined)));
    const controller = new AbortController();
    const scan = client.coins.scanCoins([one], controller.signal);
    const left = expect(scan).rejects.toThrow('the caller left');
    await untilAsked();
    controller.abort(new Error('the caller left'));
    await left;
    expect(node.calls.map(({ method, params }) => [method, params[0]])).toEqual([
      ['scantxoutset', 'start'],
      ['scantxoutset', 'abort'],
    ]);
  });

  it('does not hold up other calls', async () => {
    let finish: (value: unknown) => void = () => undefined;
    const silent = (): Promise<never> => new Promise(() => undefined);
    await start(() => new Promise((resolve) => (finish = resolve)), { getblock: silent });
    const narrow = new BitcoinClient({ network, endpointUrl: node.url, concurrency: 1, timeoutMs: 300 });
    const scan = narrow.coins.scanCoins([one]);
    await untilAsked();
    // Asked later with the same patience, and given up: the scan is not.
    await expect(narrow.readBlock({ number: 3, hash: tip })).rejects.toThrow('no answer within 300 ms');
    expect((await narrow.readHead()).number).toBe(3);
    finish(scanOf([]));
    expect(await scan).toEqual({ at: { number: 3, hash: tip }, coins: [] });
    narrow.close();
  });

  it('by a node that does not tell coinbases asks for them', async () => {
    const gettxout = (_txid: string, vout: number): unknown =>
      vout === 2 ? null : { coinbase: vout === 1, value: 1 };
    await start(() => scanOf([0, 1, 2].map((vout) => unspent(one, { vout, coinbase: undefined }))), {
      gettxout,
    });
    expect((await client.coins.scanCoins([one]))?.coins.map(({ isCoinbase }) => isCoinbase)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('is not there: nobody asks again', async () => {
    await start(undefined);
    expect(await client.coins.scanCoins([one])).toBeUndefined();
    expect(await client.coins.scanCoins([one])).toBeUndefined();
    expect(node.calls.filter(({ method }) => method === 'scantxoutset')).toHaveLength(1);
  });

  it('by a node too old to say at which block is as good as none', async () => {
    await start(() => ({ success: true, searched_items: 9, unspents: [], total_amount: 0 }));
    expect(await client.coins.scanCoins([one])).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    ['stopped half way', scanOf([], { success: false }), /got a part/],
    ['of another script', scanOf([unspent(one, { scriptPubKey: '00' })]), /another script/],
    ['with an amount that is none', scanOf([unspent(one, { amount: -1 })]), /amount/],
    ['with more coins than there can be', scanOf([unspent(one, { amount: 21_000_001 })]), /amount/],
    ['without an amount', scanOf([unspent(one, { amount: undefined })]), /amount/],
    ['of another form', [], /unspent outputs/],
    ['that is nothing', null, /unspent outputs/],
  ])('%s is refused', async (_name, result, message) => {
    await start(() => result);
    await expect(client.coins.scanCoins([one])).rejects.toMatchObject({
      code: 'node_error',
      retryable: true,
      message: expect.stringMatching(message),
    });
  });
});
