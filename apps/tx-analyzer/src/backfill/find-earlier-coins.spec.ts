// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  type Block,
  type BlockHeader,
  type ChainClient,
  type CoinScan,
  type Outpoint,
  type Transaction,
  type UtxoCodec,
  type UtxoOutput,
} from '@chainwatch/chain-core';
import type { BackfillAddress } from './backfill-batch.ts';
import { findEarlierCoins } from './find-earlier-coins.ts';

const codec: UtxoCodec = {
  coinbaseMaturityOf: () => 100,
  matchKeyOf: (address) => `script of ${address}`,
  findAddress: (_network, matchKey) => matchKey.slice('script of '.length),
};
const coinbase = (hash: string, to: string): Transaction => transaction(hash, [], [[to, 50n]], true);

describe('findEarlierCoins', () => {
  const alice: BackfillAddress = { id: 'a', projectId: 'p', address: 'alice', watchedFrom: 3, fromBlock: 1 };
  const bob: BackfillAddress = { id: 'b', projectId: 'p', address: 'bob', watchedFrom: 5, fromBlock: 1 };
  const chain = [
    [coinbase('c0', 'alice')],
    [coinbase('c1', 'bob')],
    [
      coinbase('c2', 'carol'),
      transaction(
        't2',
        [['c0', 0]],
        [
          ['alice', 20n],
          ['bob', 30n],
          ['alice', 0n],
        ],
      ),
    ],
    [coinbase('c3', 'alice'), transaction('t3', [['t2', 0]], [['bob', 20n]])],
    [
      coinbase('c4', 'bob'),
      transaction(
        't4',
        [
          ['c1', 0],
          ['t3', 0],
        ],
        [['carol', 70n]],
      ),
    ],
    [
      coinbase('c5', 'bob'),
      transaction(
        't5',
        [
          ['t2', 1],
          ['c5', 0],
        ],
        [['carol', 80n]],
      ),
    ],
  ];
  /** What each had when it began to count: alice before block 3, bob before block 5. */
  const expected = ['c4:0 bob 50', 't2:0 alice 20', 't2:1 bob 30', 't2:2 alice 0'];
  const find = (client: ChainClient, addresses = [alice, bob], progress: number[] = []) =>
    findEarlierCoins(
      {
        client,
        readBlock: (ref) => client.readBlock(ref),
        codec,
        signal: new AbortController().signal,
        onProgress: async (next) => void progress.push(next),
      },
      { addresses, fromBlock: 0 },
    );
  const list = (coins: readonly (Outpoint & { address: string; amountRaw: bigint })[]) =>
    coins.map((coin) => `${coin.txid}:${coin.vout} ${coin.address} ${coin.amountRaw}`).sort();

  it('reads the blocks where the node tells no coins, each address up to where it counts from', async () => {
    const progress: number[] = [];
    const { method, coins, fromBlock, parents } = await find(fakeClient(chain), undefined, progress);
    expect({ method, fromBlock, parents: [...parents] }).toEqual({
      method: 'rescan',
      fromBlock: 0,
      parents: [
        [3, 'h2'],
        [5, 'h4'],
      ],
    });
    expect(list(coins)).toEqual(expected);
    expect(coins.find((coin) => coin.txid === 'c4')).toMatchObject({ isCoinbase: true, blockNumber: 4 });
    expect(progress).toEqual([5]);
  });

  it('takes a scan, and what was spent between the registration and the scan', async () => {
    const { method, coins, reason, fromBlock, parents } = await find(fakeClient(chain, { scanAt: 5 }));
    expect({ method, fromBlock, parents: [...parents] }).toEqual({
      method: 'scan',
      fromBlock: 0,
      parents: [
        [3, 'h2'],
        [5, 'h4'],
      ],
    });
    expect(reason).toBeUndefined();
    expect(list(coins)).toEqual(expected);
  });

  it('says what a node without spent outputs leaves out', async () => {
    const { coins, reason } = await find(fakeClient(chain, { scanAt: 5, tellsSpent: false }));
    expect(list(coins)).toEqual(['c4:0 bob 50', 't2:2 alice 0']);
    expect(reason).toContain('blocks 3 to 5');
  });

  it('begins anew when the chain changed while it was asked for', async () => {
    const client = fakeClient(chain, { scanAt: 5 });
    const scanCoins = async (addresses: readonly string[]) => ({
      ...(await client.coins!.scanCoins(addresses))!,
      at: { number: 5, hash: 'another' },
    });
    await expect(find({ ...client, coins: { ...client.coins!, scanCoins } })).rejects.toThrow(
      'the chain changed during the scan',
    );
  });

  it('waits for a node that is behind the registration', async () => {
    await expect(find(fakeClient(chain, { scanAt: 3 }))).rejects.toThrow(BlockNotFoundError);
    await expect(find(fakeClient(chain.slice(0, 3)))).rejects.toThrow(BlockNotFoundError);
  });
});

function transaction(
  hash: string,
  inputs: [string, number][],
  outputs: [string, bigint][],
  isCoinbase = false,
): Transaction {
  return {
    hash,
    index: 0,
    isFailed: false,
    transfers: [],
    utxo: {
      isCoinbase,
      inputs: inputs.map(([txid, vout]) => ({ txid, vout })),
      outputs: outputs.map(([to, amountRaw]) => ({ matchKey: `script of ${to}`, amountRaw })),
    },
  };
}

function fakeClient(
  chain: readonly Transaction[][],
  { scanAt, tellsSpent = true }: { scanAt?: number; tellsSpent?: boolean } = {},
): ChainClient {
  const headers = chain.map(
    (_, number): BlockHeader => ({
      number,
      hash: `h${number}`,
      parentHash: `h${number - 1}`,
      timestamp: number,
    }),
  );
  const outputs = new Map<string, UtxoOutput>(
    chain
      .flat()
      .flatMap(({ hash, utxo }) => utxo!.outputs.map((output, vout) => [`${hash}:${vout}`, output] as const)),
  );
  const spentIn = (number: number): string[] =>
    chain[number]!.flatMap(({ utxo }) => utxo!.inputs.map(({ txid, vout }) => `${txid}:${vout}`));
  const scan = (addresses: readonly string[], at: number): CoinScan => {
    const spent = new Set(headers.slice(0, at + 1).flatMap(({ number }) => spentIn(number)));
    const coins = chain.slice(0, at + 1).flatMap((block, blockNumber) =>
      block.flatMap(({ hash, utxo }) =>
        utxo!.outputs.flatMap(({ matchKey, amountRaw }, vout) => {
          const address = codec.findAddress(undefined as never, matchKey)!;
          return addresses.includes(address) && !spent.has(`${hash}:${vout}`)
            ? [{ txid: hash, vout, address, amountRaw, isCoinbase: utxo!.isCoinbase, blockNumber }]
            : [];
        }),
      ),
    );
    return { at: headers[at]!, coins };
  };
  return {
    readHeaders: async (from: number, to: number) => headers.slice(from, to + 1),
    readBlock: async ({ number }: { number: number }): Promise<Block> => ({
      ...headers[number]!,
      transactions: chain[number]!,
      balanceChanges: [],
      touchedAssets: [],
    }),
    ...(scanAt === undefined
      ? {}
      : {
          coins: {
            scanCoins: async (addresses: readonly string[]) => scan(addresses, scanAt),
            readSpentOutputs: async ({ number }: { number: number }) =>
              tellsSpent
                ? new Map(spentIn(number).map((outpoint) => [outpoint, outputs.get(outpoint)!]))
                : undefined,
          },
        }),
  } as unknown as ChainClient;
}
