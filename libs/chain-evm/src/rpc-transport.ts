import type { RpcAnswer, RpcCall } from '@chainwatch/chain-core';

/** Carries JSON-RPC to one endpoint. Every call rejects with a ChainClientError. */
export interface RpcTransport {
  /** One call; an error answer is thrown. */
  call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /** Any number of calls, answers in their order; a node's error to one call is that call's answer. */
  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]>;
  close(): void;
}
