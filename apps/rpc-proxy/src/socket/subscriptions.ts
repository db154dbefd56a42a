import type { RpcSubscriptions } from '@chainwatch/chain-core';
import { randomQuantity } from '../random-quantity.ts';

/** What a client asked to be told of. */
export interface Subscription {
  /** The gateway's own, for as long as it lives: a quantity or a number, as its family has them. */
  readonly id: string | number;
  readonly method: string;
  /** JSON, as it came. */
  readonly params: Buffer;
  /** JSON: what the node that has it now calls it. */
  nodeId: string | undefined;
}

/**
 * The subscriptions of one session, each under an id that only this session knows: no node ever names one to a client,
 * so that two nodes may use the same names.
 */
export class Subscriptions {
  /** Of what is kept to ask another node. */
  bytes = 0;
  readonly #idType: RpcSubscriptions['idType'];
  readonly #byId = new Map<unknown, Subscription>();
  /** A node may have one name for several that ask the same (agave has). */
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
    // A copy: a piece of a message would keep all of it.
    const subscription: Subscription = { id, method, params: Buffer.from(params), nodeId: undefined };
    this.#byId.set(id, subscription);
    this.bytes += subscription.params.length;
    return subscription;
  }

  /** @param id as a client has it, of whatever type */
  find(id: unknown): Subscription | undefined {
    return this.#byId.get(id);
  }

  findNamed(nodeId: string): Iterable<Subscription> {
    return this.#byNodeId.get(nodeId) ?? [];
  }

  /** The node calls it that from now on. */
  name(subscription: Subscription, nodeId: string): void {
    subscription.nodeId = nodeId;
    const same = this.#byNodeId.get(nodeId);
    if (same === undefined) this.#byNodeId.set(nodeId, new Set([subscription]));
    else same.add(subscription);
  }

  /** @returns the node's name, where nothing else goes by it */
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

  /** The node is gone, and its names with it. */
  forgetNames(): void {
    this.#byNodeId.clear();
    for (const subscription of this) subscription.nodeId = undefined;
  }
}
