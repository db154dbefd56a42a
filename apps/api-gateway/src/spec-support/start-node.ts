// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface NodeCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface SpecNode {
  readonly url: string;
  /** Methods that it was asked for. */
  readonly asked: string[];
  stop(): void;
}

export const REFUSED = { error: { code: -32_601, message: 'the method does not exist' } };

/** A node of JSON-RPC on a free port of 127.0.0.1. */
export async function startNode(answer: (call: NodeCall) => object | Promise<object>): Promise<SpecNode> {
  const asked: string[] = [];
  const answerOne = async (call: NodeCall): Promise<object> => {
    asked.push(call.method);
    return { jsonrpc: '2.0', id: call.id, ...(await answer(call)) };
  };
  const read = async (req: IncomingMessage): Promise<string> => {
    const body = JSON.parse(await text(req)) as NodeCall | NodeCall[];
    return JSON.stringify(
      Array.isArray(body) ? await Promise.all(body.map(answerOne)) : await answerOne(body),
    );
  };
  const server = createServer((req, res) => {
    read(req).then(
      (body) => res.setHeader('Content-Type', 'application/json').end(body),
      () => res.destroy(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
