import type { RpcAnswer, RpcCall } from '@chainwatch/chain-core';

/** Carries JSON-RPC to one endpoint. Every call rejects with a ChainClientError. */
export interface RpcTransport {
  /** One call; an error answer is thrown. */
  call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /** Many calls in one request, answers in the order of `calls`. */
  batch(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]>;
  close(): void;
}
