// SPDX-License-Identifier: Apache-2.0
import type { AskPaths, ChainEndpoint, Network, NodeHealth, RpcPaths } from '@chainwatch/chain-core';
import { EVM_INTERFACE, WALLET_INTERFACE } from '../interfaces.ts';
import { walletLookUp } from './look-up.ts';

interface WalletBlock {
  readonly blockID?: string;
  readonly block_header?: { readonly raw_data?: { readonly number?: number; readonly timestamp?: number } };
}

/** java-tron's HTTP wallet API, by its paths. */
export const walletPaths: RpcPaths = {
  interfaceName: WALLET_INTERFACE,
  pattern: /^\/(wallet|walletsolidity)\/[a-z0-9]{1,64}(\?|$)/i,
  urlsOf,
  // Errors come under status 200.
  isRefusal: (reply) => 'Error' in reply,
  readHealth,
  probe: ['/wallet/getblock', { detail: false }],
  lookUp: walletLookUp,
};

/** Each interface has an address of its own, or stands beside the other one. */
function urlsOf({ endpointUrl, interfaceName, otherUrls }: ChainEndpoint): { rpc: string; paths: string } {
  return {
    rpc:
      interfaceName === EVM_INTERFACE
        ? endpointUrl
        : (otherUrls?.[EVM_INTERFACE] ?? besideWallet(endpointUrl)),
    paths: endpointUrl,
  };
}

function besideWallet(url: string): string {
  const address = new URL(url);
  if (!/\/jsonrpc\/?$/.test(address.pathname))
    address.pathname = `${address.pathname.replace(/\/+$/, '').replace(/\/wallet$/, '')}/jsonrpc`;
  return address.href;
}

/** A chain's id is the end of its genesis block's. Blocks are asked for without transactions, where the node is not too old for that. */
async function readHealth(ask: AskPaths, { gid }: Network): Promise<NodeHealth> {
  const [genesis, latest] = await Promise.all([
    ask<WalletBlock>([
      ['/wallet/getblock', { id_or_num: '0', detail: false }],
      ['/wallet/getblockbynum', { num: 0 }],
    ]),
    ask<WalletBlock>([
      ['/wallet/getblock', { detail: false }],
      ['/wallet/getnowblock', {}],
    ]),
  ]);
  if (genesis.blockID === undefined || latest.blockID === undefined)
    throw new Error('getblock: expected a block with its id');
  const id = Number.parseInt(genesis.blockID.slice(-8), 16);
  const { number, timestamp } = latest.block_header?.raw_data ?? {};
  return {
    isRightChain: gid === `tron:0x${id.toString(16)}`,
    // The number 0 is left out.
    head: { number: number ?? 0, hash: latest.blockID, final: undefined, timeMs: timestamp },
  };
}
