const { ceil, floor, max } = Math;

/** Above this load the probes of linear probing grow long; growing by half leaves a load of 0.5. */
const LOAD_MAX = 0.75;
const GROWTH = 1.5;
/** Load when the number of entries is known beforehand, for short probes: 13.3 bytes a fingerprint. */
const LOAD_PLANNED = 0.6;
const SLOTS_MIN = 8;
const BYTES_PER_SLOT = 8;

/**
 * Open-addressing set of 64-bit fingerprints, linear probing. A slot is two neighbouring 32-bit words, so that a
 * look-up usually touches one cache line; (0, 0) is an empty slot.
 */
export class FingerprintTable {
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
