// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What the node says of itself in place of the local chain behind it: the path and body of a question, and its answer. */
export type Disguise = readonly (readonly [question: RegExp, answer: (answer: never) => unknown])[];

export interface FaultyNodeOptions {
  /** The node behind it, with user and password if it wants them. */
  readonly url: string;
  readonly seed: number;
  /** So that a local chain passes for a public one, whose sessions the replicas share. */
  readonly disguise?: Disguise;
  /** Questions that send a transaction: their answers are never told again. */
  readonly sends: RegExp;
}

const ID = /"id":[^,}]+/;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A node behind a proxy that delays, omits, lags, answers garbage, and dies: faults in their share of 100 answers, drawn
 * from a seed. Honest, it passes everything on. It stands for every family: JSON-RPC and paths.
 */
export class FaultyNode {
  readonly #options: FaultyNodeOptions;
  readonly #target: URL;
  readonly #headers: Record<string, string> = { 'content-type': 'application/json' };
  readonly #server: Server;
  /** What it said of each question before. */
  readonly #said = new Map<string, string>();
  #seed: number;
  isHonest = true;
  /** Old answers are told only while replicas know from each other what a key has seen. */
  lags = true;
  readonly faults = { lost: 0, garbage: 0, cut: 0, old: 0, omitted: 0 };
  url = '';

  constructor(options: FaultyNodeOptions) {
    this.#options = options;
    this.#seed = options.seed;
    this.#target = new URL(options.url);
    const { username, password } = this.#target;
    if (username !== '') this.#headers['authorization'] = `Basic ${btoa(`${username}:${password}`)}`;
    this.#server = createServer((req, res) => void this.#answer(req, res).catch(() => res.destroy()));
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Nobody listens there for a moment. */
  async die(): Promise<void> {
    if (!this.#server.listening) return;
    const { port } = new URL(this.url);
    this.stop();
    await wait(300);
    this.#server.listen(Number(port), '127.0.0.1');
    await once(this.#server, 'listening');
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    const asked = `${req.url ?? '/'} ${body}`;
    const fault = this.isHonest ? 99 : this.#draw(100);
    if (fault < 2) return this.#lose(res);
    if (fault < 4) return this.#tell(res, 'garbage', this.#draw(2) === 0 ? '' : '<html>busy</html>');
    if (fault > 6 && fault < 10) await wait(this.#draw(200));
    const answer = this.#dress(asked, await this.#pass(req, body));
    const isSend = this.#options.sends.test(asked);
    const question = asked.replace(ID, '');
    const before = this.#said.get(question);
    if (!isSend) this.#said.set(question, answer);
    // It took what it was sent, and its answer is lost.
    if (fault === 4) return this.#lose(res);
    if (fault === 5) return this.#tell(res, 'cut', answer.slice(0, answer.length >> 1));
    res.setHeader('content-type', 'application/json');
    const id = ID.exec(body)?.[0];
    if (fault === 6 && !isSend)
      return this.#tell(res, 'omitted', id === undefined ? '{}' : `{"jsonrpc":"2.0",${id},"result":null}`);
    if (!this.lags || fault >= 50 || before === undefined) return void res.end(answer);
    this.#tell(res, 'old', id === undefined ? before : before.replace(ID, id));
  }

  #lose(res: ServerResponse): void {
    this.faults.lost += 1;
    res.destroy();
  }

  #tell(res: ServerResponse, fault: 'garbage' | 'cut' | 'old' | 'omitted', body: string): void {
    this.faults[fault] += 1;
    res.end(body);
  }

  async #pass({ method = 'POST', url = '/' }: IncomingMessage, body: string): Promise<string> {
    const response = await fetch(`${this.#target.origin}${url}`, {
      method,
      headers: this.#headers,
      ...(method === 'POST' && { body }),
    });
    return response.text();
  }

  #dress(asked: string, answer: string): string {
    const found = this.#options.disguise?.find(([question]) => question.test(asked));
    return found === undefined ? answer : JSON.stringify(found[1](JSON.parse(answer) as never));
  }

  /** The same faults each time. */
  #draw(below: number): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed % below;
  }
}
