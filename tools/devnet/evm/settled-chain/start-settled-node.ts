// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCall, NodeError } from './answer-call.ts';
import type { NodeCall } from './answer-call.ts';
import type { SettledChain } from './settled-chain.ts';

/**
 * Changes an answer of the node. `result` is undefined where it would be an error, which it stays if undefined is returned;
 * what it throws is answered as the node's error.
 */
export type Alter = (call: NodeCall, result: unknown) => unknown;

/** A node of a `SettledChain` on a free port of 127.0.0.1. */
export interface SettledNode {
  readonly url: string;
  readonly chain: SettledChain;
  /** Number of the last block that it has executed and serves. Undefined (default): the chain's last. */
  head: number | undefined;
  /** Number of the block that `safe` and `finalized` name. Undefined (default): what the head's header settles. */
  finalized: number | undefined;
  /** Undefined (default): an honest node. */
  alter: Alter | undefined;
  /** Every call since the start, or since it was emptied, those of a batch one by one. */
  readonly asked: NodeCall[];
  /** HTTP requests since the start. */
  readonly requestCount: number;
  stop(): Promise<void>;
}

export async function startSettledNode(chain: SettledChain): Promise<SettledNode> {
  const asked: NodeCall[] = [];
  let requestCount = 0;
  const server = createServer((req, res) => {
    requestCount += 1;
    void readJson(req)
      .then((body) =>
        Array.isArray(body) ? body.map((call) => reply(call as Request)) : reply(body as Request),
      )
      .then((body) => res.setHeader('content-type', 'application/json').end(JSON.stringify(body)))
      .catch(() => res.writeHead(400).end());
  });
  const reply = (call: Request): object => {
    asked.push({ method: call.method, params: call.params ?? [] });
    return {
      jsonrpc: '2.0',
      id: call.id,
      ...answer(node, { method: call.method, params: call.params ?? [] }),
    };
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const node: SettledNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chain,
    head: undefined,
    finalized: undefined,
    alter: undefined,
    asked,
    get requestCount() {
      return requestCount;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return node;
}

interface Request {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

function answer({ chain, alter, ...served }: SettledNode, call: NodeCall): object {
  const head = served.head ?? chain.last.number;
  const finalized = served.finalized ?? chain.find(head)?.settledHeight ?? head;
  try {
    const [result, refusal] = attempt(() => answerCall({ chain, head, finalized }, call));
    const given = alter === undefined ? result : alter(call, structuredClone(result));
    return given === undefined ? { error: describe(refusal) } : { result: given };
  } catch (error) {
    return { error: describe(error) };
  }
}

function attempt(call: () => unknown): readonly [result: unknown, refusal?: unknown] {
  try {
    return [call()];
  } catch (error) {
    return [undefined, error];
  }
}

function describe(error: unknown): object {
  const code = error instanceof NodeError ? error.code : -32_000;
  return { code, message: error instanceof Error ? error.message : String(error) };
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}
