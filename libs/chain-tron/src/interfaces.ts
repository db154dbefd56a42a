// SPDX-License-Identifier: Apache-2.0
import type { ChainNotation } from '@chainwatch/chain-core';

export const WALLET_INTERFACE = 'wallet';
export const EVM_INTERFACE = 'evm';

/** A node may serve only one of them: java-tron has both, providers often have one. */
export const TRON_INTERFACES: ChainNotation['interfaces'] = [
  {
    name: WALLET_INTERFACE,
    description: 'HTTP wallet API',
    exampleUrl: 'https://node.example.com',
  },
  {
    name: EVM_INTERFACE,
    description: 'Ethereum-compatible JSON-RPC interface',
    exampleUrl: 'https://node.example.com/jsonrpc',
  },
];
