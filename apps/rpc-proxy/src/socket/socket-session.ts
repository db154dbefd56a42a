import { WebSocket, type RawData } from 'ws';
import type { Dial } from '@chainwatch/chain-core';
import { parseEndpoint } from '@chainwatch/chain-core';
import type { KeyStore, Principal } from '@chainwatch/key-store';
import { findCallFault } from '../calls/find-call-fault.ts';
import type { Chain } from '../chains/chain.ts';
import { scanBody } from '../json/scan-body.ts';
import { NotACallError, type ScannedCall } from '../json/scan-call.ts';
import type { KeyLimits } from '../limits/key-limits.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { UsageBook } from '../usage/usage-book.ts';
import { learnSocketUrl, socketUrlsOf } from './socket-urls.ts';
import { Subscriptions } from './subscriptions.ts';

export interface SessionOptions {
  readonly client: WebSocket;
  readonly chain: Chain;
  readonly principal: Principal;
  readonly key: string;
  readonly keys: KeyStore;
  readonly limits: KeyLimits;
  readonly usage: UsageBook;
  readonly dial: Dial;
}

/** A client that does not read, and a node that cannot be reached, cost that much and no more. */
const BUFFERED_MAX = 16 * 1_048_576;
const WAITING_MAX = 1_000;
const SUBSCRIPTIONS_MAX = 1_000;
const ATTEMPTS_MAX = 10;
const SUBSCRIBES = /^(eth_subscribe|[a-z]\w*Subscribe)$/;
const UNSUBSCRIBES = /^(eth_unsubscribe|[a-z]\w*Unsubscribe)$/;

interface Waiting {
  readonly bytes: Buffer;
  readonly isRepeatable: boolean;
}

/** One client's socket and one node's behind it. When the node goes, another one takes over with every subscription. */
export class SocketSession {
  readonly #options: SessionOptions;
  readonly #subscriptions = new Subscriptions();
  /** Calls without an answer yet, by raw id: they go again where that is safe. */
  readonly #waiting = new Map<string, Waiting>();
  #tried: readonly Upstream[] = [];
  #node: WebSocket | undefined;
  #upstream: Upstream | undefined;
  #outbox: Buffer[] = [];
  #attempts = 0;
  #isFirst = true;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { client } = options;
    client.on('message', (data, isBinary) => (isBinary ? client.close(1003, 'expected text') : void this.#onClient(toBuffer(data)).catch(() => client.terminate())));
    client.on('close', () => this.#node?.terminate());
    client.on('error', () => client.terminate());
    this.#connect();
  }

  /** Now and then: a node that hangs, lags or changed its chain keeps its sockets open and tells nothing over them. */
  leaveUnfit(): void {
    const { chain } = this.#options;
    const upstream = this.#upstream;
    if (upstream === undefined || this.#node?.readyState !== WebSocket.OPEN) return;
    const isUnfit = upstream.isDown || upstream.isWrongChain || chain.lags(upstream);
    if (isUnfit && chain.upstreams.some((other) => other !== upstream && chain.serves(other))) this.#node.terminate();
  }

  async #onClient(bytes: Buffer): Promise<void> {
    const { client, chain, keys, key, limits, usage, principal } = this.#options;
    if ((await keys.findPrincipal(key)) === undefined) return client.close(1008, 'the API key is not valid any more');
    let calls: readonly ScannedCall[];
    try {
      ({ calls } = scanBody(bytes));
    } catch (error) {
      if (!(error instanceof NotACallError)) throw error;
      return this.#refuse('null', -32600, `protocol mismatch: ${error.message}`);
    }
    if (calls.length !== 1) return this.#refuse('null', -32600, 'expected one call in a message');
    const call = calls[0]!;
    const id = call.idStart === -1 ? undefined : bytes.toString('utf8', call.idStart, call.idEnd);
    const { allowed, retryAfterSeconds } = await limits.take(principal.keyId, 1);
    if (!allowed) return this.#refuse(id, -32005, `too many requests: wait ${retryAfterSeconds} s`);
    const rule = chain.ruleOf(call.method);
    const fault = findCallFault({ chain, principal, body: bytes }, call, rule);
    if (fault !== undefined) return this.#refuse(id, -32601, fault.error);
    if (this.#waiting.size >= WAITING_MAX || this.#subscriptions.size > SUBSCRIPTIONS_MAX) return this.#refuse(id, -32005, 'too many calls are under way');
    usage.countCall(principal, chain, rule, bytes.length);
    if (id === undefined) return this.#toNode(bytes);
    const isSubscription = SUBSCRIBES.test(call.method);
    if (isSubscription) this.#subscriptions.ask(id, bytes);
    const out = UNSUBSCRIBES.test(call.method) && call.paramsStart !== -1 ? this.#subscriptions.end(bytes, call.paramsStart, call.paramsEnd) : bytes;
    this.#waiting.set(id, { bytes: out, isRepeatable: isSubscription || rule.kind === 'read' });
    this.#toNode(out);
  }

  #connect(): void {
    const { chain, client } = this.#options;
    const upstream = chain.pick(this.#tried, { number: -1, upstream: undefined });
    this.#attempts += 1;
    if (upstream === undefined || this.#attempts > ATTEMPTS_MAX) return client.close(1013, 'network unavailable');
    this.#tried = [...this.#tried, upstream];
    this.#dial(upstream, socketUrlsOf(upstream));
  }

  #dial(upstream: Upstream, [url, ...others]: readonly string[]): void {
    const { client, dial } = this.#options;
    const endpoint = parseEndpoint(upstream.source.url);
    const node = new WebSocket(url!, { headers: { ...endpoint.headers, ...upstream.source.headers }, lookup: dial.lookup as never, handshakeTimeout: 5_000, maxPayload: 256 * 1_048_576, followRedirects: false });
    this.#node = node;
    this.#upstream = upstream;
    node.on('open', () => {
      learnSocketUrl(upstream, url!);
      others = [];
      this.#onOpen();
    });
    node.on('message', (data) => this.#onNode(toBuffer(data)));
    node.on('error', () => undefined);
    node.on('close', () => {
      if (others.length > 0 && node === this.#node && client.readyState === WebSocket.OPEN) this.#dial(upstream, others);
      else this.#onLost(node);
    });
  }

  #onOpen(): void {
    this.#tried = [];
    this.#attempts = 0;
    const moves = this.#isFirst ? [] : this.#subscriptions.move();
    this.#isFirst = false;
    const out = [...moves, ...this.#outbox];
    this.#outbox = [];
    for (const bytes of out) this.#node!.send(bytes, { binary: false });
  }

  #onNode(bytes: Buffer): void {
    const { client } = this.#options;
    if (client.bufferedAmount > BUFFERED_MAX) return client.terminate();
    if (bytes.includes('"params"') && bytes.includes('"subscription"')) {
      const notification = this.#subscriptions.translate(bytes);
      if (notification !== undefined) client.send(notification, { binary: false });
      return;
    }
    const id = findId(bytes);
    if (id !== undefined) this.#waiting.delete(id);
    if (!this.#subscriptions.learn(bytes)) client.send(bytes, { binary: false });
  }

  /** Reads and subscriptions that wait go again; of a write nobody knows whether it took effect. */
  #onLost(node: WebSocket): void {
    const { client } = this.#options;
    if (node !== this.#node || client.readyState !== WebSocket.OPEN) return;
    this.#outbox = [];
    for (const [id, { bytes, isRepeatable }] of [...this.#waiting]) {
      if (isRepeatable) this.#outbox.push(bytes);
      else {
        this.#waiting.delete(id);
        this.#refuse(id, -32603, 'the node was lost before it answered');
      }
    }
    this.#connect();
  }

  #toNode(bytes: Buffer): void {
    if (this.#node?.readyState === WebSocket.OPEN) this.#node.send(bytes, { binary: false });
    else this.#outbox.push(bytes);
  }

  /** A call without an id is never answered. */
  #refuse(id: string | undefined, code: number, message: string): void {
    if (id === undefined) return;
    this.#options.client.send(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`);
  }
}

function findId(reply: Buffer): string | undefined {
  return /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[\d.eE+]+)/.exec(reply.toString('utf8', 0, Math.min(reply.length, 512)))?.[1] ?? /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[\d.eE+]+)\s*\}\s*$/.exec(reply.toString('utf8', Math.max(0, reply.length - 512)))?.[1];
}

function toBuffer(data: RawData): Buffer {
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
}
