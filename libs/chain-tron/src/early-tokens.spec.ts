// SPDX-License-Identifier: Apache-2.0
import type { ContractLog } from '@chainwatch/ethereum/abi';
import { decodeEvmBlock } from './read-evm-block.ts';
import { tronNetworks } from './networks.ts';
import { toAddress } from './to-address.ts';

const network = tronNetworks.find(({ gid }) => gid === 'tron:0x2b6653dc')!;
const [token, alice, bob] = ['0a', 'a1', 'b0'].map((byte) => byte.repeat(20)) as [string, string, string];
const assetGid = `${network.gid}/trc20:${toAddress(token)}`;
const word = (digits: string): string => digits.padStart(64, '0');
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

function decode(log: Omit<ContractLog, 'address'>) {
  const header = { number: 1, hash: 'aa', parentHash: 'bb', timestamp: 1 };
  const place = { blockHash: '0xaa', transactionIndex: '0x0' };
  return decodeEvmBlock(network, header, {
    block: {
      ...{ number: '0x1', hash: '0xaa', parentHash: '0xbb', transactionsRoot: '0x', timestamp: '0x1' },
      transactions: [
        { ...place, hash: '0x01', type: '0x0', from: `0x${bob}`, to: `0x${token}`, value: '0x0' },
      ],
    },
    receipts: [
      {
        ...{ ...place, transactionHash: '0x01', status: '0x1', gasUsed: '0x0', cumulativeGasUsed: '0x0' },
        logs: [{ address: `0x${token}`, ...log }],
      },
    ],
    isUnproved: false,
  });
}

it.each(['', '41'])('tells a TRC-20 transfer without indexed members, accounts written %s', (prefix) => {
  const data = `0x${word(prefix + alice)}${word(prefix + bob)}${word('2a')}`;
  const block = decode({ topics: [transferTopic], data });
  expect(block.transactions[0]!.transfers).toMatchObject([
    { type: 'token', assetGid, from: toAddress(alice), to: toAddress(bob), amountRaw: 42n },
  ]);
  expect([block.touchedAssets, block.mentions]).toEqual([[], []]);
});

it('names the accounts in other logs in their own form', () => {
  const block = decode({ topics: [`0x${'5e'.repeat(32)}`, `0x${word(alice)}`], data: `0x${word(bob)}` });
  expect(block.transactions[0]!.transfers).toEqual([]);
  expect(block.mentions).toEqual([{ assetGid, addresses: [toAddress(alice), toAddress(bob)] }]);
});
