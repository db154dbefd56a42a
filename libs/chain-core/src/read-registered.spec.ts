// SPDX-License-Identifier: Apache-2.0
import type { AssetGid } from '@chainwatch/common/caip';
import { readRegistered } from './network-assets.ts';
import type { RegisteredToken } from './network.ts';

const gid = (name: string): AssetGid => `eip155:1/erc20:${name}` as AssetGid;
const tokens: readonly RegisteredToken[] = [
  { gid: gid('dgd'), type: 'token', symbol: 'DGD', name: 'DigixDAO', decimals: 9 },
  { gid: gid('ck'), type: 'nft', symbol: 'CK', name: 'CryptoKitties', decimals: 0 },
];

it('asks the chain for what the document does not say, and keeps the order', async () => {
  const asked: string[][] = [];
  const read = async (others: readonly string[]) => {
    asked.push([...others]);
    return others.map((one) => (one === gid('none') ? undefined : { name: one, symbol: 'X', decimals: 18 }));
  };
  expect(await readRegistered({ tokens }, [gid('a'), gid('ck'), gid('none'), gid('dgd')], read)).toEqual([
    { name: gid('a'), symbol: 'X', decimals: 18 },
    { name: 'CryptoKitties', symbol: 'CK', decimals: undefined, isNft: true },
    undefined,
    { name: 'DigixDAO', symbol: 'DGD', decimals: 9 },
  ]);
  expect(asked).toEqual([[gid('a'), gid('none')]]);
  await readRegistered({ tokens }, [gid('dgd')], read);
  expect(asked).toHaveLength(1);
  expect(await readRegistered({}, [gid('dgd')], read)).toEqual([
    { name: gid('dgd'), symbol: 'X', decimals: 18 },
  ]);
});
