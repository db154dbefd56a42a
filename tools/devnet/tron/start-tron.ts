// SPDX-License-Identifier: Apache-2.0
import { findFreePort, startAnvil } from '@chainwatch/testing';
import { AnvilVm, anvilArgs } from './anvil-vm.ts';
import { serveNode } from './serve-node.ts';
import { TronNode, type TronNodeOptions } from './tron-node.ts';

export interface TronHandle {
  /** Of the wallet API. */
  readonly url: string;
  /** Of the Ethereum-compatible interface. */
  readonly evmUrl: string;
  /** Blocks on command, reorganizations, accounts with TRX. */
  readonly node: TronNode;
  stop(): Promise<void>;
}

export type TronOptions = Pick<TronNodeOptions, 'solidifiedLag' | 'behindMs'>;

/** A TRON node (chain id 0x7a69) on a free port of 127.0.0.1, which makes blocks on command. */
export async function startTron(options: TronOptions = {}): Promise<TronHandle> {
  const [anvil, port] = await Promise.all([startAnvil({ args: anvilArgs }), findFreePort()]);
  const node = new TronNode({ ...options, vm: new AnvilVm(anvil.rpc) });
  await node.start();
  // Of a chain with nothing but its genesis block tronweb makes no transactions: the node leaves out the number 0.
  await node.mine();
  const server = await serveNode(node, port);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    evmUrl: `${url}/jsonrpc`,
    node,
    stop: async () => {
      server.closeAllConnections();
      await Promise.all([new Promise((resolve) => server.close(resolve)), anvil.stop()]);
    },
  };
}
