// SPDX-License-Identifier: Apache-2.0
/**
 * The local TRON node: java-tron's wallet API and its Ethereum-compatible interface over an anvil that runs the contracts.
 * Blocks, their ids, the tree of their transactions and the addresses of contracts are TRON's own, so that what proves a
 * block of the real chain proves one of this.
 *
 * @example
 * const node = new TronNode({ vm: new AnvilVm(anvil.rpc) });
 * await node.start();
 * const server = await serveNode(node, 8090);
 */
export { anvilArgs, AnvilVm, type AnvilRpc } from './anvil-vm.ts';
export { serveNode } from './serve-node.ts';
export { createNamedAccount, type TronAccount } from './tron-account.ts';
export { TronNode, type StoredBlock } from './tron-node.ts';
export { TronWallet } from './tron-wallet.ts';
export { toHexAddress } from '../../../libs/chain-tron/src/to-address.ts';
