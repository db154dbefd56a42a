// SPDX-License-Identifier: Apache-2.0
/**
 * Control of a Bitcoin regtest node for specs, the acceptance tests and the demo: blocks with chosen transactions,
 * reorganizations, keys and signed transactions of every script type, the node's set of unspent outputs. Everything goes
 * through Bitcoin Core's RPC, so that a genuine bitcoind serves as well as the bcoin of this folder.
 *
 * @example
 * const node = connectBitcoinNode('http://user:password@127.0.0.1:18443');
 * const key = createScriptKey('p2tr', randomBytes(32));
 * await node.mine(101, { script: key.script });
 * await node.send(buildTransaction({ coins: await node.readCoins([key]), outputs: [{ script: other.script, value: 1_000n }] }));
 */
export { addressToScript } from './address-to-script.ts';
export { connectBitcoinNode, type BitcoinNode } from './bitcoin-node.ts';
export { BitcoinRpcError } from './bitcoin-rpc.ts';
export { buildTransaction, type KeyedCoin, type TransactionOutput } from './build-transaction.ts';
export { createScriptKey, SCRIPT_KINDS, type ScriptKey, type ScriptKind } from './script-keys.ts';
export { fundWallet, payFromWallet, walletKey } from './wallet.ts';
export { Transaction } from 'bitcoinjs-lib';
