// SPDX-License-Identifier: Apache-2.0
import { startSolana, type SolanaHandle } from '@chainwatch/tool-devnet/start-solana';
import { SOLANA_CHAIN } from '../../../devnet/solana/local-node.ts';
import { coins } from './coins.ts';

let node: SolanaHandle;
beforeAll(async () => {
  node = await startSolana();
});
afterAll(() => node.stop());

it('pays on Solana by a transaction of each version in turn', async () => {
  const coin = coins.get(SOLANA_CHAIN)!;
  const address = coin.createAddress();
  const sent: string[] = [];
  for (let count = 0; count < 4; count += 1) sent.push(await coin.send(node.url, address, '0.5'));
  const { slot } = await node.produce();
  const { transactions } = await node.call<{
    transactions: { version: unknown; transaction: { signatures: string[] } }[];
  }>('getBlock', [slot, { commitment: 'confirmed', maxSupportedTransactionVersion: 1 }]);
  expect(transactions.map(({ version }) => version)).toEqual(['legacy', 0, 1, 'legacy']);
  expect(transactions.map(({ transaction }) => transaction.signatures[0])).toEqual(sent);
  const { value } = await node.call<{ value: number }>('getBalance', [address, { commitment: 'confirmed' }]);
  expect(value).toBe(2_000_000_000);
});
