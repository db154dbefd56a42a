// SPDX-License-Identifier: Apache-2.0
import {
  createPublicClient,
  createWalletClient,
  http,
  parseEther,
  parseUnits,
  type Address,
  type Hex,
} from 'viem';
import { foundry } from 'viem/chains';
import { SetupError } from '@chainwatch/testing/host';
import { contracts } from '../../../devnet/evm/contracts.ts';
import { findDemoToken, rememberDemoToken } from './demo-token.ts';

export interface SentFunds {
  readonly hash: Hex;
  readonly blockNumber: number;
  /** `1 ether`, `25 of token 0x…` */
  readonly what: string;
  readonly token?: Address;
}

const TOKEN_DECIMALS = 18;

/** From the first account if no other is named, without waiting for the block. @returns the hash @throws SetupError */
export async function sendEther(
  endpointUrl: string,
  { to, ether, from }: { readonly to: Address; readonly ether: string; readonly from?: Address },
): Promise<Hex> {
  const { account, wallet } = await connect(endpointUrl);
  return wallet.sendTransaction({ account: from ?? account, to, value: parseEther(ether) });
}

/** Sends from the local chain's first account, which the node holds the key of; waits for the block. @throws SetupError */
export async function sendFunds(
  endpointUrl: string,
  to: Address,
  amount: { readonly ether: string } | { readonly token: string },
): Promise<SentFunds> {
  const chain = await connect(endpointUrl);
  if ('ether' in amount) {
    const hash = await chain.wallet.sendTransaction({ to, value: parseEther(amount.ether) });
    return { hash, blockNumber: await chain.waitForBlock(hash), what: `${amount.ether} ether` };
  }
  const token = await ensureToken(chain);
  const value = parseUnits(amount.token, TOKEN_DECIMALS);
  // Minting instead of having a stock: the demo never runs out of it.
  const { abi } = contracts.TestToken;
  await chain.waitForBlock(
    await chain.wallet.writeContract({
      address: token,
      abi,
      functionName: 'mint',
      args: [chain.account, value],
    }),
  );
  const hash = await chain.wallet.writeContract({
    address: token,
    abi,
    functionName: 'transfer',
    args: [to, value],
  });
  return {
    hash,
    blockNumber: await chain.waitForBlock(hash),
    what: `${amount.token} of token ${token}`,
    token,
  };
}

export async function readHead(endpointUrl: string): Promise<number> {
  return Number(
    await createPublicClient({ chain: foundry, transport: http(endpointUrl) }).getBlockNumber({
      cacheTime: 0,
    }),
  );
}

async function connect(endpointUrl: string) {
  const transport = http(endpointUrl);
  const reader = createPublicClient({ chain: foundry, transport, pollingInterval: 100 });
  const [account] = await createWalletClient({ chain: foundry, transport })
    .getAddresses()
    .catch(() => {
      throw new SetupError(
        `The local chain at ${endpointUrl} does not answer: start the stack with npm start -- --detach.`,
      );
    });
  if (!account)
    throw new SetupError(`The node at ${endpointUrl} holds no accounts: the demo sends with those of anvil.`);
  return {
    account,
    reader,
    wallet: createWalletClient({ account, chain: foundry, transport }),
    waitForBlock: async (hash: Hex): Promise<number> =>
      Number((await reader.waitForTransactionReceipt({ hash })).blockNumber),
  };
}

async function ensureToken({ wallet, reader }: Awaited<ReturnType<typeof connect>>): Promise<Address> {
  const known = findDemoToken();
  if (known && (await reader.getCode({ address: known }))) return known;
  const { contractAddress } = await reader.waitForTransactionReceipt({
    hash: await wallet.deployContract({ ...contracts.TestToken }),
  });
  if (!contractAddress) throw new SetupError('The demo token could not be deployed on the local chain.');
  rememberDemoToken(contractAddress);
  return contractAddress;
}
