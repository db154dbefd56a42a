// SPDX-License-Identifier: Apache-2.0
import type { RpcAnswer, RpcCall } from '@chainwatch/chain-core';

/** Carries JSON-RPC to one endpoint. Every call rejects with a ChainClientError. */
export interface RpcTransport {
  /** One call; an error answer is thrown. */
  call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /** One call whose answer is not parsed yet. For whole blocks, which let other calls go first. */
  ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<RpcReply>;
  /**
   * The same for several calls in one request, where more requests would have to wait for their turn.
   * Undefined where the endpoint takes no lists: at once if that is known, else when it has refused one.
   */
  askTogether?(
    calls: readonly RpcCall[],
    signal?: AbortSignal,
  ): Promise<readonly RpcReply[] | undefined> | undefined;
  /** Any number of calls, answers in their order; a node's error to one call is that call's answer. */
  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]>;
  close(): void;
}

export interface RpcReply {
  /** The result, the same at each call. @throws ChainClientError when the answer is an error or none */
  result(): unknown;
}
