import { spansEqual } from '../json/scan-reply.ts';

/** A node's whole reply, and where its id stands, so that another call's id can replace it. */
export interface StoredReply {
  readonly body: Buffer;
  readonly idStart: number;
  readonly idEnd: number;
  readonly contentType: string;
}

/** The reply's body with another call's id. */
export function withId({ body, idStart, idEnd }: StoredReply, id: Buffer): Buffer {
  // Clients that do not count their calls send the same id each time.
  if (spansEqual(body, idStart, idEnd, id, 0, id.length)) return body;
  const bytes = Buffer.allocUnsafe(body.length - (idEnd - idStart) + id.length);
  body.copy(bytes, 0, 0, idStart);
  id.copy(bytes, idStart);
  body.copy(bytes, idStart + id.length, idEnd);
  return bytes;
}

interface Entry extends StoredReply {
  readonly expiresAt: number;
  /** The entry is valid while the chain's stamp is this one; undefined: valid whatever the head does. */
  readonly stamp: number | undefined;
  readonly size: number;
  isUsed: boolean;
}

/** The approximate size of an entry beyond its bytes. */
const OVERHEAD_BYTES = 300;

/** Replies by key, bounded by bytes. Entries that were not used since they were stored are evicted first. */
export class MemoryStore {
  readonly #entries = new Map<string, Entry>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(key: string, stamp: number): StoredReply | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (
      (entry.stamp !== undefined && entry.stamp !== stamp) ||
      (entry.expiresAt !== Infinity && entry.expiresAt <= performance.now())
    ) {
      this.#drop(key, entry);
      return undefined;
    }
    entry.isUsed = true;
    return entry;
  }

  set(key: string, reply: StoredReply, ms: number, stamp: number | undefined): void {
    const before = this.#entries.get(key);
    if (before !== undefined) this.#drop(key, before);
    const size = key.length * 2 + reply.body.length + OVERHEAD_BYTES;
    if (size > this.#bytesMax / 8) return;
    this.#entries.set(key, { ...reply, expiresAt: performance.now() + ms, stamp, size, isUsed: false });
    this.#bytes += size;
    this.#shrink();
  }

  // A second chance for an entry that was used: it moves to the end of the map's order.
  #shrink(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      if (!entry.isUsed) {
        this.#drop(key, entry);
        continue;
      }
      entry.isUsed = false;
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.size;
  }
}
