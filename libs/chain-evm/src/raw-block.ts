// SPDX-License-Identifier: Apache-2.0
/** JSON-RPC shapes as nodes send them: hexadecimal strings, trusted only once `verifyBlock` has proved them. */
export interface RawHeader {
  readonly hash: string;
  readonly parentHash: string;
  readonly sha3Uncles: string;
  readonly miner: string;
  readonly stateRoot: string;
  readonly transactionsRoot: string;
  readonly receiptsRoot: string;
  readonly logsBloom: string;
  readonly difficulty: string;
  readonly number: string;
  readonly gasLimit: string;
  readonly gasUsed: string;
  readonly timestamp: string;
  readonly extraData: string;
  /** On BSC the milliseconds of the timestamp's second (BEP-520). */
  readonly mixHash?: string | null;
  readonly nonce?: string | null;
  readonly baseFeePerGas?: string | null;
  readonly withdrawalsRoot?: string | null;
  readonly blobGasUsed?: string | null;
  readonly excessBlobGas?: string | null;
  readonly parentBeaconBlockRoot?: string | null;
  readonly requestsHash?: string | null;
  readonly blockAccessListHash?: string | null;
  readonly slotNumber?: string | null;
  // AuRa (Gnosis before the merge)
  readonly auraStep?: string | null;
  readonly auraSeal?: string | null;
  /** Berachain: whose proof of liquidity the block pays; behind the requests' hash. */
  readonly parentProposerPubkey?: string | null;
  // Base, since Denim: beside the header, which has seconds
  readonly timestampMs?: string | null;
  // Avalanche C-Chain
  readonly extDataHash?: string | null;
  readonly extDataGasUsed?: string | null;
  /** The atomic transactions; not part of the header, which has their hash. */
  readonly blockExtraData?: string | null;
  readonly blockGasCost?: string | null;
  readonly timestampMilliseconds?: string | null;
  readonly minDelayExcess?: string | null;
  readonly targetExponent?: string | null;
  readonly minPriceExponent?: string | null;
  /** Part of the settlement marker (`isAsynchronous`): `receiptsRoot` is that of the blocks settled with this one. */
  readonly settledHeight?: string | null;
  readonly settledGasUnix?: string | null;
  readonly settledGasNumerator?: string | null;
  readonly settledExcess?: string | null;
}

export interface RawBlock extends RawHeader {
  /** A transaction of an unknown type has a `hash` and a `type`; its other members may be missing. */
  readonly transactions: readonly RawTransaction[];
  readonly uncles?: readonly string[];
  readonly withdrawals?: readonly RawWithdrawal[] | null;
}

export interface RawWithdrawal {
  readonly index: string;
  readonly validatorIndex: string;
  readonly address: string;
  /** Gwei. */
  readonly amount: string;
}

export interface RawTransaction {
  readonly hash: string;
  readonly blockHash?: string | null;
  readonly transactionIndex?: string | null;
  readonly type?: string | null;
  readonly from: string;
  readonly to?: string | null;
  readonly nonce?: string | null;
  readonly gas: string;
  readonly gasPrice?: string | null;
  readonly maxFeePerGas?: string | null;
  readonly maxPriorityFeePerGas?: string | null;
  readonly maxFeePerBlobGas?: string | null;
  readonly value: string;
  readonly input: string;
  readonly chainId?: string | null;
  readonly accessList?: readonly RawAccess[] | null;
  readonly authorizationList?: readonly RawAuthorization[] | null;
  readonly blobVersionedHashes?: readonly string[] | null;
  readonly v?: string | null;
  readonly yParity?: string | null;
  readonly r?: string | null;
  readonly s?: string | null;
  // OP stack deposits
  readonly sourceHash?: string | null;
  readonly mint?: string | null;
  readonly isSystemTx?: boolean | null;
  /** Celo: the token in which the fee is paid. */
  readonly feeCurrency?: string | null;
  /** Scroll: of messages from L1. */
  readonly queueIndex?: string | null;
  // Arbitrum
  readonly requestId?: string | null;
  readonly ticketId?: string | null;
  readonly refundTo?: string | null;
  readonly maxRefund?: string | null;
  readonly submissionFeeRefund?: string | null;
  readonly l1BaseFee?: string | null;
  readonly depositValue?: string | null;
  readonly retryTo?: string | null;
  readonly retryValue?: string | null;
  readonly retryData?: string | null;
  readonly beneficiary?: string | null;
  readonly maxSubmissionFee?: string | null;
}

export interface RawAccess {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

export interface RawAuthorization {
  readonly chainId: string;
  readonly address: string;
  readonly nonce: string;
  readonly v?: string | null;
  readonly yParity?: string | null;
  readonly r: string;
  readonly s: string;
}

export interface RawReceipt {
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly blockHash: string;
  readonly type?: string | null;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly status?: string | null;
  /** State root after the transaction, before Byzantium. */
  readonly root?: string | null;
  readonly cumulativeGasUsed: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice?: string | null;
  readonly contractAddress?: string | null;
  readonly logs: readonly RawLog[];
  readonly logsBloom?: string | null;
  readonly blobGasUsed?: string | null;
  readonly blobGasPrice?: string | null;
  // OP stack
  readonly l1Fee?: string | null;
  readonly operatorFeeScalar?: string | null;
  readonly operatorFeeConstant?: string | null;
  readonly daFootprintGasScalar?: string | null;
  /** Base: who paid, where the transaction leaves it open, and which of its phases succeeded. No root covers them. */
  readonly payer?: string | null;
  readonly phaseStatuses?: readonly string[] | null;
  /** Celo: of the block, in the token in which the fee is paid. */
  readonly baseFee?: string | null;
  readonly depositNonce?: string | null;
  readonly depositReceiptVersion?: string | null;
}

export interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex?: string | null;
  readonly transactionHash?: string | null;
  readonly blockHash?: string | null;
}
