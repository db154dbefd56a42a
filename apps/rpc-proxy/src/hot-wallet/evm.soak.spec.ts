// SPDX-License-Identifier: Apache-2.0
import { startAnvil, type AnvilHandle } from '@chainwatch/testing';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { SOAK_MS, toNumber, WalletWorld } from './spec-wallet-world.ts';

/** The first account of anvil. */
const WALLET = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const BOB = '0x00000000000000000000000000000000000000b0';

let anvil: AnvilHandle;
let world: WalletWorld;

beforeAll(async () => {
  anvil = await startAnvil({ args: ['--block-time', '1', '--gas-price', '1000000000', '--chain-id', '1'] });
  world = await WalletWorld.start({ gid: 'eip155:1', family: 'evm', url: anvil.url, sends: /eth_send/ });
});
afterAll(async () => {
  await world.stop();
  await anvil.stop();
});

it(
  'no nonce is used twice, nothing mined is told as failed, and no height falls',
  async () => {
    await world.run({
      readHeights: async ({ call }, round) => {
        if (round % 4 > 1) return { latest: toNumber((await call('eth_blockNumber')).result) };
        const { result } = await call('eth_getBlockByNumber', ['latest', false]);
        return { latest: toNumber((result as { number?: string } | null | undefined)?.number) };
      },
      sign: async ({ call }, count) => {
        const { result } = await call('eth_getTransactionCount', [WALLET.address, 'pending']);
        if (typeof result !== 'string') return undefined;
        const nonce = Number(result);
        const raw = await WALLET.signTransaction({
          ...{ chainId: 1, type: 'eip1559', to: BOB, value: BigInt(count + 1), gas: 21_000n, nonce },
          ...{ maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
        });
        const hash = keccak256(raw);
        return {
          hash,
          uses: `nonce ${nonce}`,
          send: async () => {
            const sent = await call('eth_sendRawTransaction', [raw]);
            return sent.result === hash ? undefined : sent;
          },
        };
      },
      settle: async () => void (await anvil.mine(2)),
      isMined: async (hash) =>
        (await anvil.rpc<{ status: string } | null>('eth_getTransactionReceipt', [hash]))?.status === '0x1',
    });
  },
  SOAK_MS,
);
