// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import { BitcoinClient } from './bitcoin-client.ts';
import { bitcoinRpc } from './rpc/bitcoin-rpc.ts';
import { NodeError, startFakeNode, type FakeNode } from './spec-fake-node.ts';
import { networkNamed } from './spec-fixtures.ts';

const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
const SPLIT_2017 = 478_559;
const SPLIT_2018 = 556_767;
const SPLIT_2020 = 661_648;
const own = '000000000000000000651ef99cb9fcbe0dadde1d424bd9f15ff20136191a5eec';
const own2018 = '0000000000000000004626ff6e3b936941d341c5932ece4357eeccac44e6d56c';

/** Blocks of chains that share the genesis block, at the heights where they split. */
const chains: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  Bitcoin: {
    0: GENESIS,
    [SPLIT_2017]: '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148',
    [SPLIT_2018]: '0000000000000000000000000000000000000000000000000000000000000001',
    [SPLIT_2020]: '0000000000000000000000000000000000000000000000000000000000000002',
  },
  'Bitcoin Cash': {
    0: GENESIS,
    [SPLIT_2017]: own,
    [SPLIT_2018]: own2018,
    [SPLIT_2020]: '0000000000000000029e471c41818d24b8b74c911071c4ef0b4a0509f9b5a8ce',
  },
  'Bitcoin SV': {
    0: GENESIS,
    [SPLIT_2017]: own,
    [SPLIT_2018]: '000000000000000001d956714215d96ffc00e0afda4cd0a96c96f8d802b1662b',
    [SPLIT_2020]: '0000000000000000000000000000000000000000000000000000000000000003',
  },
  eCash: {
    0: GENESIS,
    [SPLIT_2017]: own,
    [SPLIT_2018]: own2018,
    [SPLIT_2020]: '0000000000000000000000000000000000000000000000000000000000000004',
  },
  Litecoin: { 0: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2' },
  Dogecoin: { 0: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691' },
};

const networks = ['bitcoin', 'bitcoin-cash', 'litecoin', 'dogecoin'].map(networkNamed);
const rows = Object.keys(chains).flatMap((chain) =>
  networks.map((network) => [chain, network.displayName, chain === network.displayName, network] as const),
);

describe('a node', () => {
  let node: FakeNode;
  let blocks: Readonly<Record<number, string>>;
  let head: number;
  const verify = async (network: Network): Promise<unknown> => {
    const client = new BitcoinClient({ network, endpointUrl: node.url });
    try {
      return await client.verifyChain().then(
        () => undefined,
        (error: unknown) => error,
      );
    } finally {
      client.close();
    }
  };
  const ask = async <T>(method: string, params: readonly unknown[] = []): Promise<T | undefined> => {
    try {
      return node.methods[method]!(...(params as never[])) as T;
    } catch {
      return undefined;
    }
  };
  beforeAll(async () => {
    node = await startFakeNode({
      methods: {
        getblockhash: (height: number) => {
          if (height > head) throw new NodeError(-8, 'Block height out of range');
          return blocks[height] ?? 'ff'.repeat(32);
        },
        getbestblockhash: () => 'ab'.repeat(32),
        getblockcount: () => head,
      },
    });
  });
  beforeEach(() => (head = 900_000));
  afterAll(() => node.stop());

  it.each(rows)('of %s as %s is of the right chain: %s', async (chain, _name, isRight, network) => {
    blocks = chains[chain]!;
    const failure = await verify(network);
    if (isRight) expect(failure).toBeUndefined();
    else expect(failure).toMatchObject({ code: 'wrong_chain', retryable: false });
    expect((await bitcoinRpc.readHealth(ask, network)).isRightChain).toBe(isRight);
  });

  it.each(['Bitcoin', 'Bitcoin Cash'])('of %s that is not at the split yet does not tell', async (chain) => {
    blocks = chains[chain]!;
    head = SPLIT_2017 - 1;
    for (const network of networks.slice(0, 2)) {
      expect(await verify(network)).toMatchObject({
        retryable: true,
        message: expect.stringContaining('yet'),
      });
      expect((await bitcoinRpc.readHealth(ask, network)).isRightChain).toBeUndefined();
    }
  });
});
