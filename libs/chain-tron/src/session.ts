// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import type { EvmApi } from './evm-api.ts';
import type { WalletApi } from './wallet-api.ts';

/** What the readers of one node share: the configured ones of its two interfaces, at least one. */
export interface Session {
  readonly network: Network;
  readonly wallet?: WalletApi;
  readonly evm?: EvmApi;
  /** The wallet API that a provider may serve beside the Ethereum-compatible interface, where that alone is configured. */
  readonly beside?: WalletApi;
  readonly capabilities: Capabilities;
}

/** What one node can do, found out by use and remembered for the life of the client. */
export interface Capabilities {
  /** `/wallet/getblock`, which gives headers without their transactions. */
  hasGetBlock: boolean;
  /** Where the wallet API tells the last solidified block. */
  solidified: 'solidity_block' | 'solidity_now' | 'node_info' | 'none';
  /** False where receipts are asked for one by one. */
  hasBlockReceipts: boolean;
  /** False once `beside` turned out not to be there. */
  hasWalletBeside: boolean;
  /** The version in the header that was proved last: the Ethereum-compatible interface does not show it. */
  headerVersion: number;
}
