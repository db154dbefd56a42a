// SPDX-License-Identifier: Apache-2.0
/** One transaction of a `debug_traceBlockBy…` answer with the callTracer; old nodes leave `txHash` out. */
export interface CallTrace {
  readonly txHash?: string | null;
  readonly result?: CallFrame | null;
  readonly error?: string | null;
}

export interface CallFrame {
  /** CALL, CREATE, CREATE2, SELFDESTRUCT, DELEGATECALL, STATICCALL, CALLCODE. */
  readonly type: string;
  readonly from: string;
  readonly to?: string | null;
  readonly value?: string | null;
  readonly error?: string | null;
  readonly calls?: readonly CallFrame[] | null;
}

/** One step of a `trace_block` answer. */
export interface ParityTrace {
  readonly type: string;
  readonly action: ParityAction;
  readonly result?: { readonly address?: string } | null;
  readonly error?: string | null;
  readonly traceAddress: readonly number[];
  readonly transactionHash?: string | null;
  readonly blockHash: string;
}

export interface ParityAction {
  readonly callType?: string;
  readonly from?: string;
  readonly to?: string;
  readonly value?: string;
  // selfdestruct
  readonly address?: string;
  readonly refundAddress?: string;
  readonly balance?: string;
  // reward
  readonly author?: string;
  readonly rewardType?: string;
}
