// SPDX-License-Identifier: Apache-2.0
import type { Cache } from '@chainwatch/platform/cache';
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
  readonly id: string;
  readonly keyId: string;
  readonly node: string;
  readonly nodeId: string;
  /** The name of what the node calls by this id. */
  readonly place: string;
  usedAt: number;
  /** When the entry was last written to Redis. */
  storedAt: number;
  /** Every replica can tell that older filters of the same place are gone. */
  isClaimed: boolean;
}

export interface FilterBookOptions {
  /** Shares filters with the other replicas; without it each replica knows only its own. */
  readonly cache?: Pick<Cache, 'findBytes' | 'setBytes'>;
  readonly now?: () => number;
}

/** geth also forgets a filter that nobody has polled for this long. */
const LIFETIME_MS = 5 * 60_000;
const REFRESH_MS = 60_000;
/** An older filter of the same place is forgotten by then, unless it is used, which ends it. */
const CLAIM_SECONDS = (2 * LIFETIME_MS) / 1_000;
const PER_KEY_MAX = 1_000;
const ALL_MAX = 100_000;
const ID = /^0x0*([0-9a-f]{1,64})$/i;
const NODE_ID = /^"[^"\\\s]{1,256}"$/;

/**
 * A filter lives in the node that made it, and nodes count their filter ids from one. Clients get ids of the gateway's
 * own instead: nobody can guess them, and they are valid for one key only. What an id stands for is kept here and, for
 * the other replicas, in Redis. A node that restarted gives ids again: the newest filter of an id ends the older ones,
 * whose keys would otherwise read, and drain, what is another's.
 */
export class FilterRegistry {
  readonly #cache: FilterBookOptions['cache'];
  readonly #now: () => number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #counts = new Map<string, number>();
  /** The name of the entry by its place. */
  readonly #places = new Map<string, string>();

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
    const node = nameNode(upstream.source);
    const entry: Entry = {
      id,
      keyId: owner.keyId,
      node,
      nodeId,
      place: placeOf(owner, node, nodeId),
      usedAt: now,
      storedAt: now,
      isClaimed: false,
    };
    this.#keep(nameOf(owner, id), entry);
    await this.#store(nameOf(owner, id), entry);
    return id;
  }

  /** The filter that a client's id stands for, if it is this key's and its node is one of `upstreams`. */
  async find(owner: FilterOwner, id: string, upstreams: readonly Upstream[]): Promise<Filter | undefined> {
    const own = readId(id);
    if (own === undefined) return undefined;
    this.#dropOld();
    const name = nameOf(owner, own);
    const entry = this.#entries.get(name) ?? (await this.#read(owner, own));
    const upstream = entry && upstreams.find((candidate) => nameNode(candidate.source) === entry.node);
    if (entry === undefined || upstream === undefined) return undefined;
    if (!(await this.#isNewest(name, entry))) {
      this.remove(owner, own);
      return undefined;
    }
    this.#use(name, entry);
    return { upstream, nodeId: entry.nodeId };
  }

  /** The node no longer has the filter. */
  remove(owner: FilterOwner, id: string): void {
    const own = readId(id);
    if (own === undefined) return;
    const name = nameOf(owner, own);
    this.#drop(name);
    void this.#cache?.setBytes(name, NOTHING, 1);
  }

  /** Whether the node has given the same id to no other filter since, as far as any replica knows. */
  async #isNewest(name: string, { id, place, isClaimed }: Entry): Promise<boolean> {
    // Redis did not take it, so it may only know an older one.
    if (!isClaimed) return true;
    const before = this.#places.get(place);
    const claimed = (await this.#cache?.findBytes(place))?.toString();
    const other = this.#places.get(place);
    if (other === undefined || other === name) return claimed === undefined || claimed === id;
    // Another one that came meanwhile, or that Redis did not take, is newer than what Redis said.
    return other === before && this.#entries.get(other)?.isClaimed === true && claimed === id;
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

  async #read(owner: FilterOwner, id: string): Promise<Entry | undefined> {
    const text = (await this.#cache?.findBytes(nameOf(owner, id)))?.toString();
    const [node, nodeId] = text?.split(' ', 2) ?? [];
    if (node === undefined || nodeId === undefined || !NODE_ID.test(nodeId)) return undefined;
    const place = placeOf(owner, node, nodeId);
    // Redis does not say how long it has had the entry, so it counts as old.
    return { id, keyId: owner.keyId, node, nodeId, place, usedAt: 0, storedAt: 0, isClaimed: true };
  }

  async #store(name: string, entry: Entry): Promise<void> {
    const { id, node, nodeId, place } = entry;
    const isStored = this.#cache?.setBytes(name, Buffer.from(`${node} ${nodeId}`), LIFETIME_MS / 1_000);
    // Once: a claim that is written again could end a newer filter.
    if (!entry.isClaimed)
      entry.isClaimed = (await this.#cache?.setBytes(place, Buffer.from(id), CLAIM_SECONDS)) !== false;
    // Redis was away: store it again at the next use.
    if ((await isStored) === false || !entry.isClaimed) entry.storedAt = 0;
  }

  #keep(name: string, entry: Entry): void {
    const older = this.#places.get(entry.place);
    if (older !== undefined) this.#drop(older);
    this.#places.set(entry.place, name);
    this.#entries.set(name, entry);
    this.#counts.set(entry.keyId, (this.#counts.get(entry.keyId) ?? 0) + 1);
  }

  #drop(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    if (this.#places.get(entry.place) === name) this.#places.delete(entry.place);
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

const NOTHING = Buffer.alloc(0);

/** As the gateway writes the id: a client may keep it as a number. */
function readId(id: string): string | undefined {
  const digits = ID.exec(id)?.[1];
  return digits && `0x${digits.toLowerCase()}`;
}

function placeOf({ chainGid }: FilterOwner, node: string, nodeId: string): string {
  return `rpc:filter-of:${chainGid}|${node}|${nodeId}`;
}

function nameOf({ chainGid, keyId }: FilterOwner, id: string): string {
  return `rpc:filter:${chainGid}|${keyId}|${id}`;
}
