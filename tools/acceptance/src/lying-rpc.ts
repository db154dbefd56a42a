// SPDX-License-Identifier: Apache-2.0
import { LyingServer, type NodeRequest } from './lying-server.ts';

export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

export interface Reply {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A liar that speaks JSON-RPC, single calls and batches. */
export abstract class LyingRpc<L extends string> extends LyingServer<L> {
  protected abstract bendReply(lie: L, call: Call, reply: Reply): Reply;

  protected async call(method: string, params: readonly unknown[]): Promise<unknown> {
    return ((await this.ask('/', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as Reply).result;
  }

  protected override bend(lie: L, { body }: NodeRequest, answer: unknown): unknown {
    if (!Array.isArray(body)) return this.bendReply(lie, body as Call, answer as Reply);
    const calls = new Map((body as Call[]).map((call) => [call.id, call]));
    return (answer as Reply[]).map((reply) => this.bendReply(lie, calls.get(reply.id)!, reply));
  }
}
