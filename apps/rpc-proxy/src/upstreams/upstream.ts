import { Pool } from 'undici';
import type { NodeHead } from '@chainwatch/chain-core';
import type { OpenSocket } from '@chainwatch/outbound';
import { ConnectionPool } from './connection-pool.ts';
import { writeHeaders, writeRequestLine } from './request-head.ts';
import { CallQueue } from '../limits/call-queue.ts';
import type { Clock } from './clock.ts';
import type { RequestMessage, UpstreamAttempt } from './types.ts';

/** A node that a chain's calls may go to. */
export interface UpstreamSource {
  readonly url: string;
  readonly weight: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface UpstreamOptions {
  readonly source: UpstreamSource;
  /** `https://host:port`: what logs and metrics may show. */
  readonly label: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connect: Pool.Options['connect'];
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  /** Calls of one key in flight. */
  readonly callsPerKey: number;
}

const FAILURES_MAX = 3;
/** Connections for the gateway's own questions. */
const CONNECTIONS_MAX = 16;
/** Client calls in flight; further calls wait. */
const CALLS_MAX = 256;
const ACCEPT_ENCODING_MAX = 256;
const NO_BODY: Buffer = Buffer.alloc(0);

/** One node: its connections, the calls in flight, and whether it may serve. */
export class Upstream {
  readonly source: UpstreamSource;
  readonly label: string;
  readonly path: string;
  readonly clock: Clock;
  /** For the gateway's own questions; client calls have their own connections. */
  readonly pool: Pool;
  readonly #calls: ConnectionPool;
  readonly #queue: CallQueue<UpstreamAttempt>;
  readonly #headers: string;
  /** The head of a JSON-RPC call, up to the headers of the single call. */
  readonly #callHead: string;
  /** Headers of requests in undici's form: name, value, name, value. */
  readonly headers: readonly string[];
  readonly attempts = new Set<UpstreamAttempt>();
  readonly latencies = new LatencyTracker();
  head: NodeHead | undefined;
  /** A health question has been answered, or has failed, at least once. */
  isChecked = false;
  /** The node has said that it serves this chain, and has not contradicted it since. */
  hasToldChain = false;
  /** The node serves another chain, or never said which one: no call is ever sent to it. */
  isWrongChain = false;
  /** Set by failures or silence, cleared by the next answered health question. */
  isDown = false;
  reason: string | undefined;
  /** Until when the node asked us to wait. */
  pausedUntil = 0;
  lastHeardAt = 0;
  #failures = 0;
  #failedAt = -Infinity;
  /**
   * The address of the HTTP interface. The endpoint may name it with or without its own folder, or name the JSON-RPC
   * beside it.
   */
  readonly #base: string;
  readonly #query: string | undefined;

  constructor(options: UpstreamOptions) {
    this.source = options.source;
    this.label = options.label;
    this.path = options.path;
    const [base = '', query] = options.path.split('?', 2);
    this.#base = base.replace(/\/+$/, '').replace(/\/(jsonrpc|wallet)$/, '');
    this.#query = query;
    this.clock = options.clock;
    const headers = Object.entries({
      'content-type': 'application/json',
      ...options.headers,
      ...options.source.headers,
    });
    this.headers = headers.flat();
    this.#headers = writeHeaders(new URL(options.origin).host, headers);
    this.#callHead = writeRequestLine('POST', this.path) + this.#headers;
    this.#calls = new ConnectionPool({
      openSocket: options.openSocket,
      clock: options.clock,
      connectionsMax: CALLS_MAX,
    });
    this.#queue = new CallQueue({
      max: CALLS_MAX,
      maxPerKey: options.callsPerKey,
      send: (attempt) => this.#send(attempt, attempt.request!),
    });
    this.pool = new Pool(options.origin, {
      connections: CONNECTIONS_MAX,
      pipelining: 1,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 25_000,
      // Every question has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: options.connect,
    });
  }

  get load(): number {
    return (this.attempts.size + 1) / this.source.weight;
  }

  /** Sends the request when it is its turn. */
  send(attempt: UpstreamAttempt, request: RequestMessage): void {
    this.attempts.add(attempt);
    attempt.request = request;
    attempt.isQueued = true;
    this.#queue.enter(attempt);
  }

  /** The attempt is done, whatever its outcome. */
  finish(attempt: UpstreamAttempt): void {
    this.attempts.delete(attempt);
    this.#queue.leave(attempt);
  }

  /** An attempt that was not sent yet is no longer wanted. */
  withdraw(attempt: UpstreamAttempt): void {
    this.#calls.withdraw(attempt);
  }

  /** The full path of `/wallet/getnowblock`, with the query of the endpoint's address. */
  pathOf(rest: string): string {
    if (this.#query === undefined) return `${this.#base}${rest}`;
    return `${this.#base}${rest}${rest.includes('?') ? '&' : '?'}${this.#query}`;
  }

  succeed(): void {
    this.#failures = 0;
  }

  /**
   * @param startedAt when the failed call began: calls that were in flight when another one failed count as the same
   * failure
   */
  fail(reason: string, startedAt: number): void {
    this.reason = reason;
    if (startedAt <= this.#failedAt) return;
    this.#failedAt = this.clock.now;
    this.#failures += 1;
    if (this.#failures >= FAILURES_MAX) this.isDown = true;
  }

  /** The node was found silent. Its calls in flight are notified, so that they can go to another node. */
  goDown(reason: string): void {
    this.isDown = true;
    this.reason = reason;
  }

  recover(): void {
    this.#failures = 0;
    this.isDown = false;
    this.reason = undefined;
  }

  /** Calls in flight may finish; the connections of a removed node close after them. */
  close(): void {
    this.#calls.close();
    void this.pool.close().catch(() => undefined);
  }

  async destroy(): Promise<void> {
    for (const attempt of [...this.attempts]) if (!attempt.isSent) attempt.onError(CLOSED);
    this.#calls.destroy();
    await this.pool.destroy();
  }

  #send(attempt: UpstreamAttempt, { rest, verb = 'POST', acceptEncoding, body }: RequestMessage): void {
    attempt.isQueued = false;
    let head =
      rest === undefined ? this.#callHead : writeRequestLine(verb, this.pathOf(rest)) + this.#headers;
    // Nodes accept smaller heads than clients send.
    if (acceptEncoding !== undefined && acceptEncoding.length <= ACCEPT_ENCODING_MAX)
      head += `Accept-Encoding: ${acceptEncoding}\r\n`;
    if (verb === 'GET')
      this.#calls.send(attempt, { head: `${head}\r\n`, body: NO_BODY, idleMsMax: attempt.idleMsMax });
    else
      this.#calls.send(attempt, {
        head: `${head}Content-Length: ${body.length}\r\n\r\n`,
        body,
        idleMsMax: attempt.idleMsMax,
      });
  }
}

const CLOSED = new Error('the node is not asked any more');

const LATENCY_SAMPLES_MIN = 20;
const METHODS_MAX = 256;
/** The hedge delay before a node's latency is known, and its bounds. */
const HEDGE_MS_DEFAULT = 200;
const HEDGE_MS_MIN = 20;
const HEDGE_MS_MAX = 5_000;

interface Quantile {
  value: number;
  count: number;
}

/**
 * The 95th percentile of a node's latencies by method, estimated in constant space. Each sample moves the estimate up
 * by 19 parts if it is above, and down by one part if it is below, so the estimate settles where one sample in twenty
 * is above.
 */
class LatencyTracker {
  readonly #byMethod = new Map<string, Quantile>();

  record(method: string, ms: number): void {
    let entry = this.#byMethod.get(method);
    if (entry === undefined) {
      if (this.#byMethod.size >= METHODS_MAX) return;
      entry = { value: ms, count: 0 };
      this.#byMethod.set(method, entry);
    }
    entry.count += 1;
    const step = Math.max(entry.value, 1) * 0.02;
    entry.value += ms > entry.value ? step * 0.95 : -step * 0.05;
  }

  /** After how long a second node is worth asking. */
  hedgeDelayMs(method: string): number {
    const entry = this.#byMethod.get(method);
    if (entry === undefined || entry.count < LATENCY_SAMPLES_MIN) return HEDGE_MS_DEFAULT;
    return Math.min(HEDGE_MS_MAX, Math.max(HEDGE_MS_MIN, entry.value * 1.5));
  }
}
