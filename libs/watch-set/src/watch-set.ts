import { FingerprintTable } from './fingerprint-table.ts';
import { writeFingerprint, type Fingerprint } from './fingerprint.ts';

/**
 * Shards grow one at a time: of 10 million addresses about 40,000 are moved at once (a millisecond), and while one
 * grows the others hold no second copy.
 */
const SHARDS = 256;

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
    return this.hasAt(address, 0, address.length);
  }

  /** Whether it has the address at `from` in `text`; no substring is made. */
  hasAt(text: string, from: number, length: number): boolean {
    const fingerprint = this.#fingerprint;
    writeFingerprint(text, fingerprint, from, length);
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
