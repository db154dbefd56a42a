// SPDX-License-Identifier: Apache-2.0
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import type { Block, ChainClient, Network } from '@chainwatch/chain-core';
import { evmFamily } from './evm-family.ts';

const network = evmFamily.catalogue.networks.find(({ gid }) => gid === 'eip155:31337') as Network;
const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const [token, alice, bob] = ['0a', 'a1', 'b0'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
const assetGid = `${network.gid}/erc20:${token}`;
const word = (value: string): string => value.replace('0x', '').padStart(64, '0');

let node: AnvilHandle;
let client: ChainClient;
beforeAll(async () => {
  node = await startAnvil();
  client = evmFamily.createClient({ network, endpointUrl: node.url });
});
afterAll(async () => {
  client.close();
  await node.stop();
});

/** A contract that logs the data of a call under one topic, and the block with that call. */
async function log(topic: string, data: string): Promise<Block> {
  await node.rpc('anvil_setCode', [token, `0x366000600037${'7f'}${topic}366000a100`]);
  const [from] = await node.rpc<string[]>('eth_accounts', []);
  const hash = await node.rpc<string>('eth_sendTransaction', [
    { from, to: token, gas: '0x30d40', data: `0x${data}` },
  ]);
  const { blockNumber } = await waitFor(() =>
    node.rpc<{ blockNumber: string } | null>('eth_getTransactionReceipt', [hash]),
  );
  return client.readBlock((await client.findHeaderByNumber(Number(blockNumber)))!);
}

it('tells a transfer without indexed members in a block that is proved', async () => {
  const block = await log(transferTopic, word(alice) + word(bob) + word('0x2a'));
  expect(block.verification).toBeUndefined();
  expect(block.transactions.flatMap(({ transfers }) => transfers)).toEqual([
    { index: 0, type: 'token', assetGid, from: alice, to: bob, amountRaw: 42n, logIndex: 0 },
  ]);
  expect([block.touchedAssets, block.mentions]).toEqual([[], []]);
});

it('names whom another log names', async () => {
  const block = await log('5e'.repeat(32), word('0x64') + word(bob) + 'ff'.repeat(32));
  expect(block.transactions.flatMap(({ transfers }) => transfers)).toEqual([]);
  expect([block.touchedAssets, block.mentions]).toEqual([[assetGid], [{ assetGid, addresses: [bob] }]]);
});
