// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto';
import { FairQueue, type NodeHead, type QueuePlace } from '@chainwatch/chain-core';
import type { OpenSocket } from '@chainwatch/outbound';
import type { MemoryQuota } from '../limits/tenants.ts';
import { ConnectionPool, type Sender } from './connection-pool.ts';
import type { Clock } from './clock.ts';
import { assertPath, listHeaders, ABORTED, StaleConnectionError, type NodeReply } from './node-connection.ts';

/** A node that a chain's calls may go to. */
export interface UpstreamSource {
  readonly url: string;
  /** What the interfaces of one node have in common; absent: the URL. */
  readonly node?: string | undefined;
  /** Gets what another node has accepted, too. */
  readonly broadcast?: boolean | undefined;
  readonly weight: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The same name on every replica and for each interface of a node, without revealing its address. */
export function nameNode({ node, url, headers }: UpstreamSource): string {
  return hash('sha256', JSON.stringify([node ?? url, Object.entries(headers)]), 'base64url');
}

/** One call to a node. */
export interface RequestMessage {
  readonly body: Buffer;
  /** The path after the address of the node's HTTP interface: `/wallet/getnowblock`. */
  readonly rest?: string;
  readonly verb?: 'POST' | 'GET';
  readonly acceptEncoding?: string | undefined;
}

/** What a node knows of a call that it is asked. */
export interface NodeCall extends Sender {
  readonly quota: Pick<MemoryQuota, 'key'>;
  /** Other calls of the same key or workspace are ahead of it. */
  isQueued: boolean;
  /** Set by the node: ends its turn. */
  leave: (() => void) | undefined;
}

export interface UpstreamOptions {
  readonly source: UpstreamSource;
  /** `https://host:port`: what logs and metrics may show. */
  readonly label: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
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
  /** The same on every replica and for each interface, without revealing the node's address. */
  readonly name: string;
  readonly path: string;
  readonly clock: Clock;
  readonly #calls: ConnectionPool;
  /** For the gateway's own questions. */
  readonly #questions: ConnectionPool;
  readonly #queue: FairQueue;
  readonly #headers: readonly string[];
  /**
   * Number of calls in flight, with those that wait for their turn. A `Set` of them would cost a tenth of each call: a
   * table that V8 has replaced still refers to its successor, so that all calls outlive the next collections.
   */
  inFlight = 0;
  readonly #queued = new Set<NodeCall>();
  readonly latencies = new LatencyTracker();
  head: NodeHead | undefined;
  /** Asks for the head at once instead of at the next interval. */
  hurryHealth: () => void = () => undefined;
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
  /** When the node was last found to answer nobody. */
  silentAt = -Infinity;
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
    this.name = nameNode(options.source);
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
    assertPath(this.path);
    this.#headers = listHeaders(new URL(options.origin).host, headers);
    const { openSocket, clock } = options;
    this.#calls = new ConnectionPool({ openSocket, clock, connectionsMax: CALLS_MAX });
    this.#questions = new ConnectionPool({ openSocket, clock, connectionsMax: CONNECTIONS_MAX });
    // A workspace never has more calls under way than it leaves free for the others.
    this.#queue = new FairQueue({ atOnce: CALLS_MAX, atOncePerPart: options.callsPerKey, leavesRoom: true });
  }

  get load(): number {
    return (this.inFlight + 1) / this.source.weight;
  }

  /**
   * Sends the call when it is its turn.
   * @returns the reply when its head has arrived
   */
  send(call: NodeCall, message: RequestMessage): Promise<NodeReply> {
    this.inFlight += 1;
    const { key } = call.quota;
    const place = { owner: key.workspace, part: key };
    const leave = this.#queue.tryEnter(place);
    if (leave === undefined) return this.#waitTurn(call, place).then(() => this.#send(call, message));
    call.leave = leave;
    return this.#send(call, message);
  }

  #send(call: NodeCall, { rest, verb = 'POST', acceptEncoding, body }: RequestMessage): Promise<NodeReply> {
    return this.#calls.send(
      {
        method: verb,
        path: rest === undefined ? this.path : this.pathOf(rest),
        // Nodes accept smaller heads than clients send.
        headers:
          acceptEncoding !== undefined && acceptEncoding.length <= ACCEPT_ENCODING_MAX
            ? [...this.#headers, 'Accept-Encoding', acceptEncoding]
            : this.#headers,
        body: verb === 'GET' ? NO_BODY : body,
      },
      call,
    );
  }

  /** The call is done, whatever its outcome. Called once for each call that was sent. */
  finish(call: NodeCall): void {
    this.inFlight -= 1;
    call.leave?.();
  }

  async #waitTurn(call: NodeCall, place: Pick<QueuePlace, 'owner' | 'part'>): Promise<void> {
    const withdrawal = new AbortController();
    call.isQueued = true;
    call.abort = () => withdrawal.abort(ABORTED);
    this.#queued.add(call);
    const leave = await this.#queue
      .enter({ ...place, signal: withdrawal.signal })
      .finally(() => this.#queued.delete(call));
    call.isQueued = false;
    if (call.isDone) {
      leave();
      throw ABORTED;
    }
    call.leave = leave;
    if (this.isWrongChain) throw new Error('serves another chain');
  }

  /**
   * Sends one of the gateway's own questions, over connections of their own.
   * @throws the signal's reason, or an Error when there is no reply
   */
  async ask(path: string, body: Buffer, signal: AbortSignal): Promise<NodeReply> {
    // A signal that has aborted tells nobody any more.
    signal.throwIfAborted();
    const request = { method: 'POST', path, headers: this.#headers, body } as const;
    const sender = { idleMsMax: Infinity, isDone: false, onSend: () => undefined, abort: () => undefined };
    signal.addEventListener('abort', () => {
      sender.isDone = true;
      sender.abort();
    });
    try {
      return await this.#questions.send(request, sender);
    } catch (error) {
      if (!(error instanceof StaleConnectionError)) throw error;
      return this.#questions.send(request, Object.assign(sender, { idleMsMax: 0 }));
    }
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

  goDown(reason: string): void {
    this.isDown = true;
    this.reason = reason;
  }

  /** The node was found silent. Its calls in flight go to another node if they can. */
  fallSilent(): void {
    this.silentAt = this.clock.now;
    if (!this.isDown) this.goDown('did not answer');
  }

  recover(): void {
    this.#failures = 0;
    this.isDown = false;
    this.reason = undefined;
  }

  /** Calls in flight may finish; the connections of a removed node close after them. */
  close(): void {
    this.#calls.close();
    this.#questions.close();
  }

  destroy(): void {
    for (const call of this.#queued) call.abort?.();
    this.#calls.destroy();
    this.#questions.destroy();
  }
}

const LATENCY_SAMPLES_MIN = 20;
const METHODS_MAX = 256;
/** The hedge delay before a node's latency is known, and its bounds. */
const HEDGE_MS_DEFAULT = 200;
const HEDGE_MS_MIN = 20;
const HEDGE_MS_MAX = 5_000;

/**
 * The 95th percentile of a node's latencies by method, estimated in constant space. Each sample moves the estimate up
 * by 19 parts if it is above, and down by one part if it is below, so the estimate settles where one sample in twenty
 * is above.
 */
class LatencyTracker {
  readonly #byMethod = new Map<string, { value: number; count: number }>();

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
