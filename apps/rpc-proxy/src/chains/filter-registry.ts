import type { Cache } from '@chainwatch/cache';
import { randomQuantity } from '../random-quantity.ts';
import { nameNode, type Upstream } from '../upstreams/upstream.ts';

/** A filter in the node that made it. */
export interface Filter {
  readonly upstream: Upstream;
  /** JSON: the node's own id of the filter. */
  readonly nodeId: string;
}

/** A filter belongs to one key on one chain. */
export interface FilterOwner {
  readonly chainGid: string;
  readonly keyId: string;
}

interface Entry {
  readonly keyId: string;
  readonly node: string;
  readonly nodeId: string;
  usedAt: number;
  /** When the entry was last written to Redis. */
  storedAt: number;
}

export interface FilterBookOptions {
  /** Shares filters with the other replicas; without it each replica knows only its own. */
  readonly cache?: Pick<Cache, 'findBytes' | 'setBytes'>;
  readonly now?: () => number;
}

/** geth also forgets a filter that nobody has polled for this long. */
const LIFETIME_MS = 5 * 60_000;
const REFRESH_MS = 60_000;
const PER_KEY_MAX = 1_000;
const ALL_MAX = 100_000;
const ID = /^0x0*([0-9a-f]{1,64})$/i;
const NODE_ID = /^"[^"\\\s]{1,256}"$/;

/**
 * A filter lives in the node that made it, and nodes count their filter ids from one. Clients get ids of the gateway's
 * own instead: nobody can guess them, and they are valid for one key only. What an id stands for is kept here and, for
 * the other replicas, in Redis.
 */
export class FilterRegistry {
  readonly #cache: FilterBookOptions['cache'];
  readonly #now: () => number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #counts = new Map<string, number>();

  constructor({ cache, now = Date.now }: FilterBookOptions = {}) {
    this.#cache = cache;
    this.#now = now;
  }

  hasRoom({ keyId }: FilterOwner): boolean {
    this.#dropOld();
    return this.#entries.size < ALL_MAX && (this.#counts.get(keyId) ?? 0) < PER_KEY_MAX;
  }

  /** @returns the filter's id once every replica can be asked for it; undefined if the node's own id is malformed */
  async add(owner: FilterOwner, { upstream, nodeId }: Filter): Promise<string | undefined> {
    if (!NODE_ID.test(nodeId)) return undefined;
    const id = randomQuantity();
    const now = this.#now();
    const entry: Entry = {
      keyId: owner.keyId,
      node: nameNode(upstream.source),
      nodeId,
      usedAt: now,
      storedAt: now,
    };
    this.#keep(nameOf(owner, id), entry);
    await this.#store(nameOf(owner, id), entry);
    return id;
  }

  /** The filter that a client's id stands for, if it is this key's and its node is one of `upstreams`. */
  async find(owner: FilterOwner, id: string, upstreams: readonly Upstream[]): Promise<Filter | undefined> {
    const digits = ID.exec(id)?.[1];
    if (digits === undefined) return undefined;
    this.#dropOld();
    const name = nameOf(owner, `0x${digits.toLowerCase()}`);
    const entry = this.#entries.get(name) ?? (await this.#read(owner, name));
    const upstream = entry && upstreams.find((candidate) => nameNode(candidate.source) === entry.node);
    if (entry === undefined || upstream === undefined) return undefined;
    this.#use(name, entry);
    return { upstream, nodeId: entry.nodeId };
  }

  /** The node no longer has the filter. */
  remove(owner: FilterOwner, id: string): void {
    this.#drop(nameOf(owner, id.toLowerCase()));
  }

  #use(name: string, entry: Entry): void {
    const now = this.#now();
    entry.usedAt = now;
    this.#drop(name);
    this.#keep(name, entry);
    if (now - entry.storedAt < REFRESH_MS) return;
    entry.storedAt = now;
    void this.#store(name, entry);
  }

  async #read({ keyId }: FilterOwner, name: string): Promise<Entry | undefined> {
    const text = (await this.#cache?.findBytes(name))?.toString();
    const [node, nodeId] = text?.split(' ', 2) ?? [];
    if (node === undefined || nodeId === undefined || !NODE_ID.test(nodeId)) return undefined;
    // Redis does not say how long it has had the entry, so it counts as old.
    return { keyId, node, nodeId, usedAt: 0, storedAt: 0 };
  }

  async #store(name: string, entry: Entry): Promise<void> {
    const isStored = await this.#cache?.setBytes(
      name,
      Buffer.from(`${entry.node} ${entry.nodeId}`),
      LIFETIME_MS / 1_000,
    );
    // Redis was away: store it again at the next use.
    if (isStored === false) entry.storedAt = 0;
  }

  #keep(name: string, entry: Entry): void {
    this.#entries.set(name, entry);
    this.#counts.set(entry.keyId, (this.#counts.get(entry.keyId) ?? 0) + 1);
  }

  #drop(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    const left = this.#counts.get(entry.keyId)! - 1;
    if (left > 0) this.#counts.set(entry.keyId, left);
    else this.#counts.delete(entry.keyId);
  }

  #dropOld(): void {
    const since = this.#now() - LIFETIME_MS;
    for (const [name, { usedAt }] of this.#entries) {
      if (usedAt > since) return;
      this.#drop(name);
    }
  }
}

function nameOf({ chainGid, keyId }: FilterOwner, id: string): string {
  return `rpc:filter:${chainGid}|${keyId}|${id}`;
}
