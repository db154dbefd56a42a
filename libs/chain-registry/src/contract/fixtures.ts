// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { ChainFamilyName } from '@chainwatch/chain-core';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What a family brings to its contract: `spec-contract/fixture.json` in its library, and a recording beside it, which
 * CONTRACT_RECORD_FAMILY and CONTRACT_RECORD_URL=<node> write.
 */
export interface ContractFixture {
  /** The local network of the recording (`recording.json` beside this), and another one of the family. */
  readonly network: string;
  readonly otherNetwork: string;
  readonly addresses: readonly {
    readonly input: string;
    readonly canonical: string;
    readonly display: string;
  }[];
  /** Written with a checksum: no character can be another one. */
  readonly checksummed: readonly string[];
  /** A token as a path writes it, and its CAIP-19 gid, where the family has tokens. */
  readonly token?: { readonly path: string; readonly gid: string };
  /** Methods, and fields of answers, that no header commits to: a node is believed there. */
  readonly unproved?: readonly string[];
  readonly whyUnproved?: string;
  /** Families whose addresses its nodes write as well. */
  readonly alsoReads?: readonly string[];
  /** Block by a hash that nobody has. */
  readonly unknownHash: string;
  readonly rpc: RpcFixture;
}

/** Methods of each kind. */
interface RpcFixture {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly locked: readonly string[];
  /** The family whose recording its JSON-RPC is asked from, where its own has none and both local chains have one number. */
  readonly recordedBy?: string;
  /** What the node of the recording answers beside it, without parameters. */
  readonly alsoAnswers?: Readonly<Record<string, unknown>>;
  /** Of the interface of paths. */
  readonly paths?: { readonly served: readonly string[]; readonly refused: readonly string[] };
}

/** Said by a local node of the family with at least three blocks above genesis; some payments are in the last one. */
export interface Recording {
  readonly head: { readonly number: number; readonly hash: string };
  readonly exchanges: readonly Exchange[];
}

/** @throws where the family's library has none: without a fixture nothing is known of it */
export function readFixture(family: ChainFamilyName): ContractFixture {
  return JSON.parse(readFileSync(fileOf(family, 'fixture'), 'utf8')) as ContractFixture;
}

export function readRecording(family: ChainFamilyName): Recording {
  return JSON.parse(readFileSync(recordingFile(family), 'utf8')) as Recording;
}

export function recordingFile(family: ChainFamilyName): URL {
  return fileOf(family, 'recording');
}

function fileOf(family: ChainFamilyName, name: string): URL {
  return new URL(`../../../chain-${family}/src/spec-contract/${name}.json`, import.meta.url);
}

/** One question to a node and what it answered: a call of JSON-RPC, or a request of another HTTP API. */
interface Exchange {
  readonly path: string;
  /** Absent where it is no JSON-RPC: `params` is the body then, and `answer` what came back. */
  readonly method?: string;
  readonly params: unknown;
  /** `{ result }` or `{ error }` of JSON-RPC. */
  readonly answer: unknown;
}

/** How a node fails before it answers anything. */
export type Fault = { readonly status: number; readonly text: string } | 'hangs up' | 'is silent';

/** What HTTP allows, and clients may not mind. */
export type Habit = 'sends interim responses' | 'closes kept connections';

const INTERIM = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 102 Processing\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n',
].join('');

/** A node that says again what a real one said, word for word, unless a test has it lie or fail. */
export class ReplayNode {
  readonly #answers: Map<string, Exchange>;
  /** Asked for what was never recorded. */
  readonly #upstream: string | undefined;
  readonly #server = createServer((req, res) => void this.#serve(req, res).catch(() => res.destroy()));
  /** Keys of what was asked, each once. */
  readonly asked = new Set<string>();
  /** Has an answer changed. */
  lie: { readonly key: string; readonly answer: unknown } | undefined;
  fault: Fault | undefined;
  habit: Habit | undefined;
  /** Requests that it did not answer, because their connection had carried another. */
  dropped = 0;
  readonly #used = new WeakSet<object>();

  /** @param upstream a real node: what it says is recorded */
  constructor(exchanges: readonly Exchange[], upstream?: string) {
    this.#answers = new Map(exchanges.map((exchange) => [keyOf(exchange), exchange]));
    this.#upstream = upstream;
  }

  get exchanges(): Exchange[] {
    return [...this.#answers.values()];
  }

  get url(): string {
    return `http://user:secret@127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  answerTo(key: string): unknown {
    return this.#answers.get(key)?.answer;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readJson(req);
    if (this.fault === 'is silent') return;
    if (this.fault === 'hangs up') return void res.destroy();
    if (this.fault !== undefined) return void res.writeHead(this.fault.status).end(this.fault.text);
    if (this.habit === 'closes kept connections') {
      if (this.#used.has(req.socket)) {
        this.dropped += 1;
        return void req.socket.destroy();
      }
      this.#used.add(req.socket);
    }
    if (this.habit === 'sends interim responses') req.socket.write(INTERIM);
    const path = req.url ?? '/';
    const answers = await Promise.all(
      (Array.isArray(body) ? body : [body]).map((each) => this.#answer(path, each)),
    );
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  }

  async #answer(path: string, body: unknown): Promise<unknown> {
    const call = isCall(body)
      ? { path, method: body.method, params: body.params ?? [] }
      : { path, params: body };
    const key = keyOf(call);
    this.asked.add(key);
    if (this.#upstream !== undefined && !this.#answers.has(key))
      this.#answers.set(key, { ...call, answer: await askUpstream(this.#upstream, path, body) });
    const unknown = isCall(body)
      ? { error: { code: -32601, message: 'Method not found' } }
      : { Error: 'not recorded' };
    const answer = this.lie?.key === key ? this.lie.answer : (this.#answers.get(key)?.answer ?? unknown);
    return isCall(body) ? { jsonrpc: '2.0', id: body.id, ...(answer as object) } : answer;
  }
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: unknown;
}

function isCall(body: unknown): body is Call {
  return typeof body === 'object' && body !== null && 'method' in body;
}

function keyOf({ path, method, params }: Omit<Exchange, 'answer'>): string {
  return JSON.stringify([path, method, params]);
}

async function askUpstream(upstream: string, path: string, body: unknown): Promise<unknown> {
  const { origin, username, password } = new URL(upstream);
  const headers = new Headers({ 'content-type': 'application/json' });
  if (username !== '')
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${username}:${decodeURIComponent(password)}`).toString('base64')}`,
    );
  const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!isCall(body)) return answer;
  return (answer['error'] ?? null) === null ? { result: answer['result'] } : { error: answer['error'] };
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : JSON.parse(text);
}
