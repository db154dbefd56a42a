// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import type { RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import type { RpcReply, RpcTransport } from './rpc-transport.ts';

/** For endpoints given as WebSocket: calls go to the same place over HTTP, or over the socket where HTTP is not served. */
export class TwinTransport implements RpcTransport {
  readonly #http: RpcTransport;
  readonly #socket: RpcTransport;
  #chosen: RpcTransport | undefined;

  constructor(http: RpcTransport, socket: RpcTransport) {
    this.#http = http;
    this.#socket = socket;
  }

  call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return this.#choose((transport) => transport.call(method, params, signal));
  }

  /**
   * An ordinary call finds out which of the two works: only an answer that was parsed tells whether it came
   * from a node.
   */
  async ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<RpcReply> {
    if (this.#chosen !== undefined) return this.#chosen.ask(method, params, signal);
    const result = await this.call(method, params, signal);
    return { result: () => result };
  }

  askTogether(
    calls: readonly RpcCall[],
    signal?: AbortSignal,
  ): Promise<readonly RpcReply[] | undefined> | undefined {
    return this.#chosen?.askTogether?.(calls, signal);
  }

  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    return this.#choose((transport) => transport.callMany(calls, signal));
  }

  close(): void {
    this.#http.close();
    this.#socket.close();
  }

  async #choose<T>(use: (transport: RpcTransport) => Promise<T>): Promise<T> {
    if (this.#chosen !== undefined) return use(this.#chosen);
    try {
      const result = await use(this.#http);
      this.#chosen = this.#http;
      return result;
    } catch (error) {
      if (isNodeAnswer(error)) throw error;
      const result = await use(this.#socket);
      this.#chosen = this.#socket;
      return result;
    }
  }
}

/** A JSON-RPC error came over HTTP, so HTTP works. */
function isNodeAnswer(error: unknown): boolean {
  return error instanceof ChainClientError && error.nodeCode !== undefined && error.nodeCode < 0;
}
