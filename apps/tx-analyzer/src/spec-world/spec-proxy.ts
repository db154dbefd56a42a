// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A JSON-RPC call as it comes. */
export interface SpecCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a proxy makes of the node's answer; `error` in place of a result: what the node would refuse with. */
export type ChangeAnswer = (call: SpecCall, result: unknown) => unknown;

/** Thrown by a change: the proxy answers with this error. */
export class SpecRefusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const honest: ChangeAnswer = (_call, result) => result;

/** A real node's JSON-RPC, as an endpoint of its own: on its port it is another operator. */
export class SpecProxy {
  /** What was asked. */
  readonly asked: string[] = [];
  isAway = false;
  change: ChangeAnswer = honest;
  readonly #nodeUrl: string;
  readonly #server: Server;

  private constructor(nodeUrl: string) {
    this.#nodeUrl = nodeUrl;
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        void this.#answer(req.url ?? '/', Buffer.concat(chunks).toString())
          .then((text) => res.setHeader('content-type', 'application/json').end(text))
          .catch(() => res.destroy());
      });
    });
  }

  static async start(nodeUrl: string): Promise<SpecProxy> {
    const proxy = new SpecProxy(nodeUrl);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** It tells the truth again, and was asked nothing. */
  reset(): void {
    this.change = honest;
    this.isAway = false;
    this.asked.length = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(path: string, body: string): Promise<string> {
    if (this.isAway) throw new Error('away');
    const calls = JSON.parse(body) as SpecCall | readonly SpecCall[];
    const answers = await Promise.all([calls].flat().map((call) => this.#answerOne(path, call as SpecCall)));
    return JSON.stringify(Array.isArray(calls) ? answers : answers[0]);
  }

  async #answerOne(path: string, call: SpecCall): Promise<unknown> {
    // The paths of TRON's wallet API are its methods, and the body is what they are asked.
    const isRpc = 'method' in call;
    const asked = isRpc ? call : { id: 0, method: path.split('?')[0]!, params: [call] };
    this.asked.push(asked.method);
    const response = await fetch(`${this.#nodeUrl.replace(/\/$/, '')}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    const answer = (await response.json()) as { result?: unknown; error?: unknown };
    try {
      if (!isRpc) return this.change(asked, answer);
      return 'result' in answer ? { ...answer, result: this.change(asked, answer.result) } : answer;
    } catch (error) {
      if (!(error instanceof SpecRefusal)) throw error;
      return { jsonrpc: '2.0', id: asked.id, error: { code: error.code, message: error.message } };
    }
  }
}
