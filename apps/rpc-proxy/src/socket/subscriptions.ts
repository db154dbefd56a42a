// SPDX-License-Identifier: Apache-2.0
import type { RpcSubscriptions } from '@chainwatch/chain-core';
import { randomQuantity } from '../random-quantity.ts';

/** One subscription of a client. */
export interface Subscription {
  /** The gateway's own id, valid for as long as the subscription: a quantity or a number, as the family writes ids. */
  readonly id: string | number;
  readonly method: string;
  /** JSON, as it came. */
  readonly params: Buffer;
  /** JSON: the id at the current node. */
  nodeId: string | undefined;
}

/**
 * The subscriptions of one session. Clients see ids that only this session knows, never a node's: two nodes may use the
 * same ids.
 */
export class Subscriptions {
  /** Size of what is kept to subscribe again at another node. */
  bytes = 0;
  readonly #idType: RpcSubscriptions['idType'];
  readonly #byId = new Map<unknown, Subscription>();
  /** A node may give one id to several equal subscriptions (agave does). */
  readonly #byNodeId = new Map<string, Set<Subscription>>();
  #last = 0;

  constructor(idType: RpcSubscriptions['idType']) {
    this.#idType = idType;
  }

  get size(): number {
    return this.#byId.size;
  }

  [Symbol.iterator](): Iterator<Subscription> {
    return this.#byId.values();
  }

  has(subscription: Subscription): boolean {
    return this.#byId.get(subscription.id) === subscription;
  }

  add(method: string, params: Buffer): Subscription {
    const id = this.#idType === 'number' ? (this.#last += 1) : randomQuantity();
    // A copy, because a slice would keep the whole message in memory.
    const subscription: Subscription = { id, method, params: Buffer.from(params), nodeId: undefined };
    this.#byId.set(id, subscription);
    this.bytes += subscription.params.length;
    return subscription;
  }

  /** @param id as the client sent it, of any type */
  find(id: unknown): Subscription | undefined {
    return this.#byId.get(id);
  }

  findNamed(nodeId: string): Iterable<Subscription> {
    return this.#byNodeId.get(nodeId) ?? [];
  }

  /** Records the node's id for the subscription. */
  name(subscription: Subscription, nodeId: string): void {
    subscription.nodeId = nodeId;
    const same = this.#byNodeId.get(nodeId);
    if (same === undefined) this.#byNodeId.set(nodeId, new Set([subscription]));
    else same.add(subscription);
  }

  /** @returns the node's id, if no other subscription uses it */
  remove(subscription: Subscription): string | undefined {
    if (!this.#byId.delete(subscription.id)) return undefined;
    this.bytes -= subscription.params.length;
    const { nodeId } = subscription;
    const same = nodeId === undefined ? undefined : this.#byNodeId.get(nodeId);
    same?.delete(subscription);
    if (nodeId === undefined || same === undefined || same.size > 0) return undefined;
    this.#byNodeId.delete(nodeId);
    return nodeId;
  }

  clear(): void {
    this.#byId.clear();
    this.#byNodeId.clear();
    this.bytes = 0;
  }

  /** The node is gone, and its ids are no longer valid. */
  forgetNames(): void {
    this.#byNodeId.clear();
    for (const subscription of this) subscription.nodeId = undefined;
  }
}
