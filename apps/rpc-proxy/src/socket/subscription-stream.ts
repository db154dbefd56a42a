// SPDX-License-Identifier: Apache-2.0
import type { Dial, RpcSubscriptions } from '@chainwatch/chain-core';
import type { Chain } from '../chains/chain.ts';
import type { KeySession } from '../chains/key-session.ts';
import { scanMembers, type Span } from '../json/scan-members.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { Full, MemoryQuota } from '../limits/tenants.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { NodeSocket } from './node-socket.ts';
import { Subscriptions, type Subscription } from './subscriptions.ts';

export interface StreamOptions {
  readonly chain: Chain;
  /** The subscriptions of the chain's family. */
  readonly subscribing: RpcSubscriptions;
  readonly dial: Dial;
  /** Pays for what is kept to subscribe again at another node. */
  readonly quota: MemoryQuota;
  /** What the key has seen. */
  readonly session: () => KeySession;
  /** Other replicas learn what the key has seen. */
  readonly onSeen: () => void;
  /** Receives each message for the client. */
  readonly onMessage: (message: Buffer) => void;
  /** No node serves the subscriptions any more. */
  readonly onUnavailable: () => void;
  readonly onFault: (error: unknown) => void;
  /** Between two pings to the node; for specs. */
  readonly nodePingMs?: number | undefined;
}

/** A subscription whose call has not been answered to the client. */
interface Unanswered {
  /** The id of the client's call, raw. */
  readonly callId: string;
  readonly since: number;
}

const SUBSCRIPTIONS_MAX = 1_000;
/** Time for a node to answer a subscribe call, the client's own or after a change of node. */
const ANSWER_MS = 30_000;
const MOVE_MS = 10_000;
const NODE_ID = /^(?:"[^"\\]{1,256}"|\d{1,20})$/;

/**
 * The subscriptions of one client at one node. If that node is lost, they move to another one and keep the ids that the
 * client knows. Calls and subscriptions sent to a node carry this stream's own ids.
 */
export class SubscriptionStream {
  readonly #options: StreamOptions;
  readonly #node: NodeSocket;
  readonly #all: Subscriptions;
  readonly #unanswered = new Map<Subscription, Unanswered>();
  /** Calls to the node in flight, by id. */
  readonly #asked = new Map<number, { readonly subscription: Subscription; readonly since: number }>();
  #lastCall = 0;

  constructor(options: StreamOptions) {
    const { chain, subscribing, dial, onUnavailable, onFault, nodePingMs: pingMs } = options;
    this.#options = options;
    this.#all = new Subscriptions(subscribing.idType);
    this.#node = new NodeSocket({
      chain,
      dial,
      onOpen: () => [...this.#all].forEach((subscription) => this.#ask(subscription)),
      onMessage: (bytes, upstream) => this.#onMessage(bytes, upstream),
      onLost: () => {
        this.#asked.clear();
        this.#all.forgetNames();
        return this.#all.size > 0;
      },
      onUnavailable,
      onFault,
      pingMs,
    });
  }

  /**
   * Subscribes, and answers the call when the node has answered.
   * @returns whose limit is reached, if there is no room for one more
   */
  subscribe(callId: string, method: string, params: Buffer): Full | undefined {
    const full = this.#all.size >= SUBSCRIPTIONS_MAX ? 'connection' : this.#options.quota.take(params.length);
    if (full !== undefined) return full;
    const subscription = this.#all.add(method, params);
    this.#unanswered.set(subscription, { callId, since: performance.now() });
    if (this.#node.isOpen) this.#ask(subscription);
    else this.#node.connect();
    return undefined;
  }

  /**
   * @param id as the client sent it
   * @returns whether it was a subscription of this client
   */
  unsubscribe(id: unknown): boolean {
    const subscription = this.#all.find(id);
    if (subscription === undefined || this.#unanswered.has(subscription)) return false;
    this.#end(subscription);
    return true;
  }

  /** Called at intervals. */
  look(): void {
    const now = performance.now();
    this.#node.leaveUnfit();
    this.#node.ping();
    for (const [subscription, { callId, since }] of this.#unanswered) {
      if (now - since < ANSWER_MS) continue;
      this.#end(subscription);
      this.#answer(callId, '"error":{"code":-32603,"message":"no answer within 30 seconds"}');
    }
    for (const { subscription, since } of this.#asked.values())
      if (!this.#unanswered.has(subscription) && now - since >= MOVE_MS) return this.#node.leave();
  }

  close(): void {
    this.#node.close();
    this.#options.quota.release(this.#all.bytes);
    this.#all.clear();
  }

  #ask(subscription: Subscription): void {
    const id = (this.#lastCall += 1);
    this.#asked.set(id, { subscription, since: performance.now() });
    this.#send(id, subscription.method, subscription.params);
  }

  #end(subscription: Subscription): void {
    this.#unanswered.delete(subscription);
    this.#release(subscription.method, this.#remove(subscription));
  }

  #remove(subscription: Subscription): string | undefined {
    if (this.#all.has(subscription)) this.#options.quota.release(subscription.params.length);
    return this.#all.remove(subscription);
  }

  #release(method: string, nodeId: string | undefined): void {
    if (nodeId !== undefined && this.#node.isOpen)
      this.#send((this.#lastCall += 1), endOf(method), Buffer.from(`[${nodeId}]`));
  }

  #send(id: number, method: string, params: Buffer): void {
    this.#node.send(
      Buffer.concat([
        Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":`),
        params,
        BRACE,
      ]),
    );
  }

  #onMessage(bytes: Buffer, upstream: Upstream): void {
    const members = scanMembers(bytes, skipSpace(bytes, 0));
    const id = members?.get('id');
    if (members === undefined) return;
    if (id !== undefined) return this.#onAnswer(bytes, members, id);
    const params = members.get('params');
    if (members.has('method') && params !== undefined) this.#onNotification(bytes, params, upstream);
  }

  #onAnswer(bytes: Buffer, members: ReadonlyMap<string, Span>, id: Span): void {
    const callId = Number(textOf(bytes, id));
    const asked = this.#asked.get(callId);
    if (asked === undefined) return;
    this.#asked.delete(callId);
    const { subscription } = asked;
    const result = members.get('result');
    const nodeId = result && textOf(bytes, result);
    if (nodeId !== undefined && NODE_ID.test(nodeId)) this.#settle(subscription, nodeId);
    else if (!this.#fail(subscription, bytes, members.get('error'))) return;
    if (this.#asked.size === 0) this.#node.approve();
  }

  #settle(subscription: Subscription, nodeId: string): void {
    // The client ended it meanwhile. The node's name for it may also stand for another subscription.
    if (!this.#all.has(subscription)) {
      if ([...this.#all.findNamed(nodeId)].length === 0) this.#release(subscription.method, nodeId);
      return;
    }
    this.#all.name(subscription, nodeId);
    const unanswered = this.#unanswered.get(subscription);
    if (unanswered === undefined) return;
    this.#unanswered.delete(subscription);
    this.#answer(unanswered.callId, `"result":${JSON.stringify(subscription.id)}`);
  }

  /**
   * @returns whether the stream stays with the node: it leaves one that refuses a subscription which the client already
   * has
   */
  #fail(subscription: Subscription, bytes: Buffer, error: Span | undefined): boolean {
    if (!this.#all.has(subscription)) return true;
    const unanswered = this.#unanswered.get(subscription);
    if (unanswered === undefined) {
      this.#node.leave();
      return false;
    }
    this.#end(subscription);
    this.#answer(
      unanswered.callId,
      `"error":${error === undefined ? '{"code":-32603,"message":"the node named no subscription"}' : textOf(bytes, error)}`,
    );
    return true;
  }

  #onNotification(bytes: Buffer, params: Span, upstream: Upstream): void {
    const members = scanMembers(bytes, params.start);
    const name = members?.get('subscription');
    if (members === undefined || name === undefined) return;
    const result = members.get('result');
    const { chain, session, onMessage, subscribing } = this.#options;
    const head = result && this.#readHead(bytes, result);
    if (head !== undefined && chain.upstreams.includes(upstream)) {
      // Before the client reacts: its next call must not go to a node that does not know the block yet.
      if (upstream.head !== undefined && head > upstream.head.number) chain.learnHead(upstream, head);
      session().raise(upstream.head?.number);
      this.#options.onSeen();
    }
    for (const subscription of [...this.#all.findNamed(textOf(bytes, name))]) {
      onMessage(
        Buffer.concat([
          bytes.subarray(0, name.start),
          Buffer.from(JSON.stringify(subscription.id)),
          bytes.subarray(name.end),
        ]),
      );
      if (
        result !== undefined &&
        subscribing.isLast?.(subscription.method, bytes.subarray(result.start, result.end))
      )
        this.#remove(subscription);
    }
  }

  #readHead(bytes: Buffer, { start }: Span): number | undefined {
    const { readNotifiedHead } = this.#options.subscribing;
    const members = readNotifiedHead && scanMembers(bytes, start);
    return (
      members &&
      readNotifiedHead((name) => {
        const span = members.get(name);
        return span && textOf(bytes, span);
      })
    );
  }

  #answer(callId: string, outcome: string): void {
    this.#options.onMessage(Buffer.from(`{"jsonrpc":"2.0","id":${callId},${outcome}}`));
  }
}

const BRACE = Buffer.from('}');

/** `eth_subscribe` ends with `eth_unsubscribe`, `logsSubscribe` with `logsUnsubscribe`. */
function endOf(method: string): string {
  return method.replace(/subscribe$/, 'unsubscribe').replace(/Subscribe$/, 'Unsubscribe');
}

function textOf(bytes: Buffer, { start, end }: Span): string {
  return bytes.toString('utf8', start, end);
}
