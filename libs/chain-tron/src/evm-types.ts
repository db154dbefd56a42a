// SPDX-License-Identifier: Apache-2.0
import type { ContractLog } from '@chainwatch/ethereum/abi';

/** Shapes of the Ethereum-compatible interface, without members that it leaves out or fills with zeros. */
export interface EvmBlock {
  readonly number: string;
  /** The block's id. */
  readonly hash: string;
  readonly parentHash: string;
  readonly transactionsRoot: string;
  /** `0x` where the header has no account state root. */
  readonly stateRoot?: string | null;
  readonly miner?: string | null;
  /** Seconds; block times are whole seconds. */
  readonly timestamp: string;
  readonly gasUsed?: string;
  readonly transactions: readonly EvmTransaction[];
}

export interface EvmTransaction {
  readonly hash: string;
  /** Always `0x0`. Other types of Ethereum with the same value, sender and receiver would be accepted too. */
  readonly type?: string | null;
  readonly blockHash: string;
  readonly transactionIndex: string;
  readonly from: string | null;
  readonly to?: string | null;
  /** Sun for transfers and calls; for other kinds of transactions whatever is counted there. */
  readonly value?: string | null;
  /** Energy that was used; `0x0` for a transaction that runs no contract. */
  readonly gas?: string | null;
}

export interface EvmReceipt {
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly blockHash: string;
  readonly status: string;
  /** Energy. */
  readonly gasUsed: string;
  readonly cumulativeGasUsed: string;
  readonly contractAddress?: string | null;
  readonly logs: readonly (ContractLog & { readonly logIndex?: string })[];
}
