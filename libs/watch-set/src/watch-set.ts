// SPDX-License-Identifier: Apache-2.0
// Taken once: a look-up of the global in every round costs twice the hash where modules run in a VM context (Jest).
const { ceil, floor, imul, max } = Math;

/**
 * Shards grow one at a time: of 10 million addresses about 40,000 are moved at once (a millisecond), and while one
 * grows the others hold no second copy.
 */
const SHARDS = 256;
/** Above this load the probes of linear probing grow long; growing by half leaves a load of 0.5. */
const LOAD_MAX = 0.75;
const GROWTH = 1.5;
/** Load when the number of entries is known beforehand, for short probes: 13.3 bytes a fingerprint. */
const LOAD_PLANNED = 0.6;
const SLOTS_MIN = 8;
const BYTES_PER_SLOT = 8;

/**
 * Which addresses are watched, in memory: 64-bit fingerprints of canonical address texts, 10.7 to 16 bytes an address.
 * `has` never misses an address that was added; it is wrong about another one with a probability of size ÷ 2⁶⁴, so a
 * hit is confirmed in PostgreSQL. There is no removal, because two addresses may share a fingerprint: one that is no
 * longer watched stays a false hit until `rebuild`.
 */
export class WatchSet {
  #shards: readonly FingerprintTable[];
  #size = 0;
  readonly #fingerprint: Fingerprint = new Int32Array(2);

  /** @param capacity addresses to make room for at once */
  constructor(capacity = 0) {
    this.#shards = createShards(capacity);
  }

  /** Room for `count` addresses, so that loading them grows no shard. */
  static withCapacity(count: number): WatchSet {
    return new WatchSet(count);
  }

  /** Fingerprints held: addresses added, each counted once. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of the tables. */
  get byteLength(): number {
    return this.#shards.reduce((bytes, shard) => bytes + shard.byteLength, 0);
  }

  /** @param address canonical form of its family (`ParsedAddress.canonical`) */
  add(address: string): void {
    const [a, b, shard] = this.#find(address);
    if (shard.add(a, b)) this.#size += 1;
  }

  has(address: string): boolean {
    const fingerprint = this.#fingerprint;
    writeFingerprint(address, fingerprint);
    const a = fingerprint[0] as number;
    return (this.#shards[a >>> 24] as FingerprintTable).has(a, fingerprint[1] as number);
  }

  /** From now on holds these addresses and no others: addresses removed since the last rebuild are forgotten. */
  rebuild(addresses: Iterable<string>): void {
    const next = new WatchSet(this.#size);
    for (const address of addresses) next.add(address);
    this.#shards = next.#shards;
    this.#size = next.#size;
  }

  #find(address: string): [a: number, b: number, shard: FingerprintTable] {
    const fingerprint = this.#fingerprint;
    writeFingerprint(address, fingerprint);
    const a = fingerprint[0] as number;
    return [a, fingerprint[1] as number, this.#shards[a >>> 24] as FingerprintTable];
  }
}

function createShards(capacity: number): FingerprintTable[] {
  return Array.from({ length: SHARDS }, () => new FingerprintTable(Math.ceil(capacity / SHARDS)));
}

/**
 * Open-addressing set of 64-bit fingerprints, linear probing. A slot is two neighboring 32-bit words, so that a
 * look-up usually touches one cache line; (0, 0) is an empty slot.
 */
class FingerprintTable {
  #words: Int32Array;
  #slots: number;
  #size = 0;

  /** @param expected fingerprints to hold before it grows for the first time */
  constructor(expected = 0) {
    this.#slots = max(SLOTS_MIN, ceil(expected / LOAD_PLANNED));
    this.#words = new Int32Array(this.#slots * 2);
  }

  get size(): number {
    return this.#size;
  }

  get byteLength(): number {
    return this.#slots * BYTES_PER_SLOT;
  }

  has(a: number, b: number): boolean {
    const words = this.#words;
    for (let at = this.#home(b); ; at = at + 2 === words.length ? 0 : at + 2) {
      const wordA = words[at];
      const wordB = words[at + 1];
      if (wordA === a && wordB === b) return true;
      if (wordA === 0 && wordB === 0) return false;
    }
  }

  /** @returns whether it is new */
  add(a: number, b: number): boolean {
    if (this.has(a, b)) return false;
    if (this.#size + 1 > this.#slots * LOAD_MAX) this.#grow();
    this.#insert(a, b);
    this.#size += 1;
    return true;
  }

  #insert(a: number, b: number): void {
    const words = this.#words;
    let at = this.#home(b);
    while (words[at] !== 0 || words[at + 1] !== 0) at = at + 2 === words.length ? 0 : at + 2;
    words[at] = a;
    words[at + 1] = b;
  }

  /** Scales 32 bits to the number of slots, which need not be a power of two. */
  #home(b: number): number {
    return floor(((b >>> 0) * this.#slots) / 0x1_0000_0000) * 2;
  }

  #grow(): void {
    const old = this.#words;
    this.#slots = ceil(this.#slots * GROWTH);
    this.#words = new Int32Array(this.#slots * 2);
    for (let at = 0; at < old.length; at += 2) {
      const a = old[at] ?? 0;
      const b = old[at + 1] ?? 0;
      if (a !== 0 || b !== 0) this.#insert(a, b);
    }
  }
}

/** Where `writeFingerprint` leaves the two halves; one array for all calls keeps allocation off the hot path. */
export type Fingerprint = Int32Array;

/**
 * 64-bit fingerprint of a text into `out[0]` and `out[1]`. Two lanes in the manner of MurmurHash3's x86_128, two UTF-16 units at a time, no BigInt and no allocation. Each round is a
 * bijection of the 64-bit state, so two texts of one length can collide only by chance. Never (0, 0): that marks an
 * empty slot.
 */
export function writeFingerprint(text: string, out: Fingerprint): void {
  const { length } = text;
  // The last unit of an odd length stands alone.
  const last = length - (length & 1);
  let a = 0x2f6a7c15 ^ length;
  let b = 0x5851f42d ^ length;
  for (let index = 0; index < length; index += 2) {
    // The length in the seed tells a text that ends with a zero from one that does not.
    const units = text.charCodeAt(index) | (index < last ? text.charCodeAt(index + 1) << 16 : 0);
    let mixed = imul(units, 0xcc9e2d51);
    mixed = (mixed << 15) | (mixed >>> 17);
    a ^= imul(mixed, 0x1b873593);
    a = (a << 13) | (a >>> 19);
    a = (imul(a, 5) + 0xe6546b64) | 0;
    mixed = imul(units, 0x239b961b);
    mixed = (mixed << 16) | (mixed >>> 16);
    b ^= imul(mixed, 0xab0e9789);
    b = (b << 17) | (b >>> 15);
    b = (imul((b + a) | 0, 5) + 0x0bcaa747) | 0;
  }
  a = (a + b) | 0;
  b = (b + a) | 0;
  a = finish(a, 0x85ebca6b, 0xc2b2ae35);
  b = finish(b, 0x9e3779b1, 0x85ebca77);
  a = (a + b) | 0;
  b = (b + imul(a, 0x27d4eb2f)) | 0;
  out[0] = a;
  out[1] = (a | b) === 0 ? 1 : b;
}

const scratch: Fingerprint = new Int32Array(2);

/** 53 bits of the fingerprint as one number, for lists of few texts: 8 bytes where the text would take a hundred. */
export function fingerprintOf(text: string): number {
  writeFingerprint(text, scratch);
  return (scratch[0]! >>> 0) * 0x20_0000 + (scratch[1]! >>> 11);
}

function finish(half: number, first: number, second: number): number {
  let mixed = half ^ (half >>> 16);
  mixed = imul(mixed, first);
  mixed ^= mixed >>> 13;
  mixed = imul(mixed, second);
  return mixed ^ (mixed >>> 16);
}
