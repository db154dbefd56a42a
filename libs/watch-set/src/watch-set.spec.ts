// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { WatchSet, writeFingerprint } from './watch-set.ts';

const hexAddress = (index: number) => `0x${index.toString(16).padStart(40, '0')}`;
function* hexAddresses(from: number, to: number): Generator<string> {
  for (let index = from; index < to; index += 1) yield hexAddress(index);
}

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.nat(50).map(hexAddress),
  fc.stringMatching(/^[13][1-9A-HJ-NP-Za-km-z]{25,33}$/),
  fc.constantFrom('', '\0', '\0\0', 'Ā\0', '\0\u0001', 'a', 'aa', 'a\0'),
);

describe('WatchSet', () => {
  it('says what a Set says, whatever was added', () => {
    fc.assert(
      fc.property(
        fc.array(texts, { maxLength: 300 }),
        fc.array(texts, { maxLength: 100 }),
        fc.nat(200),
        (added, asked, capacity) => {
          const watchSet = WatchSet.withCapacity(capacity);
          const model = new Set<string>();
          for (const address of added) {
            expect(watchSet.has(address)).toBe(model.has(address));
            watchSet.add(address);
            model.add(address);
            expect(watchSet.has(address)).toBe(true);
          }
          expect(watchSet.size).toBe(model.size);
          for (const address of [...added, ...asked]) {
            expect(watchSet.has(address)).toBe(model.has(address));
            // Whatever stands around it.
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('holds exactly what it was rebuilt from', () => {
    fc.assert(
      fc.property(fc.array(texts), fc.array(texts), (before, after) => {
        const watchSet = new WatchSet();
        for (const address of before) watchSet.add(address);
        watchSet.rebuild(after);
        const model = new Set(after);
        expect(watchSet.size).toBe(model.size);
        for (const address of [...before, ...after]) expect(watchSet.has(address)).toBe(model.has(address));
      }),
    );
  });

  it('keeps what it had when the source of a rebuild fails', () => {
    const watchSet = new WatchSet();
    watchSet.add('a');
    const failing = (function* () {
      yield 'b';
      throw new Error('connection lost');
    })();
    expect(() => watchSet.rebuild(failing)).toThrow('connection lost');
    expect([watchSet.has('a'), watchSet.has('b'), watchSet.size]).toEqual([true, false, 1]);
  });

  it('misses none of 300,000 addresses while it grows, and hits none of a million others', () => {
    const watchSet = new WatchSet();
    const count = 300_000;
    for (const address of hexAddresses(0, count)) watchSet.add(address);
    expect(watchSet.size).toBe(count);
    let missed = 0;
    for (const address of hexAddresses(0, count)) if (!watchSet.has(address)) missed += 1;
    expect(missed).toBe(0);
    let falseHits = 0;
    for (const address of hexAddresses(count, count + 1_000_000)) if (watchSet.has(address)) falseHits += 1;
    expect(falseHits).toBe(0);
  });

  it('counts an address once', () => {
    const watchSet = new WatchSet();
    for (let round = 0; round < 3; round += 1)
      for (const address of hexAddresses(0, 1000)) watchSet.add(address);
    expect(watchSet.size).toBe(1000);
  });

  it('takes at most 20 bytes an address at every size from 100,000 on, grown or given its capacity', () => {
    const grown = new WatchSet();
    let most = 0;
    for (const address of hexAddresses(0, 400_000)) {
      grown.add(address);
      if (grown.size >= 100_000 && grown.size % 1000 === 0)
        most = Math.max(most, grown.byteLength / grown.size);
    }
    expect(most).toBeLessThanOrEqual(20);
    expect(most).toBeGreaterThan(8 / 0.75);
    expect(WatchSet.withCapacity(10_000_000).byteLength / 10_000_000).toBeLessThanOrEqual(20);
  });
});

const HEX = '0123456789abcdef';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const COUNT = 100_000;

// A global is slow to look up in Jest's VM context, and these loops run millions of times.
const { imul, floor } = Math;

/** Deterministic, so that a bound that holds once holds always. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

function randomText(prefix: string, alphabet: string, length: number): (index: number) => string {
  const random = createRandom(length);
  return () =>
    prefix + Array.from({ length }, () => alphabet.charAt(floor(random() * alphabet.length))).join('');
}

const KINDS: [string, (index: number) => string][] = [
  ['random hex addresses', randomText('0x', HEX, 40)],
  ['random base58 addresses', randomText('T', BASE58, 33)],
  ['random bech32 addresses', randomText('bc1q', BECH32, 38)],
  ['counted hex addresses', (index) => `0x${index.toString(16).padStart(40, '0')}`],
  [
    'hex addresses that count at the front',
    (index) => `0x${index.toString(16).padStart(8, '0')}${'0'.repeat(32)}`,
  ],
  [
    'hex addresses that count in the middle',
    (index) => `0x${'f'.repeat(16)}${index.toString(16).padStart(8, '0')}${'f'.repeat(16)}`,
  ],
  [
    'texts that differ in length only',
    (index) => '1'.repeat(index % 1000) + String(floor(index / 1000)).padStart(4, 'x'),
  ],
];

function fingerprints(make: (index: number) => string): { a: Uint32Array; b: Uint32Array } {
  const out = new Int32Array(2);
  const a = new Uint32Array(COUNT);
  const b = new Uint32Array(COUNT);
  for (let index = 0; index < COUNT; index += 1) {
    writeFingerprint(make(index), out);
    a[index] = out[0] ?? 0;
    b[index] = out[1] ?? 0;
  }
  return { a, b };
}

/** Pairs that share a value. */
function countCollisions(values: Uint32Array): number {
  const sorted = values.toSorted();
  let count = 0;
  for (let index = 1; index < sorted.length; index += 1) if (sorted[index] === sorted[index - 1]) count += 1;
  return count;
}

/** How far 256 equal classes are from equally full, in standard deviations of chi-square with 255 degrees of freedom. */
function unevenness(values: Uint32Array, classOf: (value: number) => number): number {
  const counts = new Float64Array(256);
  for (const value of values) {
    const index = classOf(value);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  const expected = values.length / 256;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (chiSquare - 255) / Math.sqrt(2 * 255);
}

describe.each(KINDS)('fingerprints of %s', (_, make) => {
  const { a, b } = fingerprints(make);

  it('are all different', () => {
    const pairs = new Set<bigint>();
    for (let index = 0; index < COUNT; index += 1)
      pairs.add((BigInt(a[index] ?? 0) << 32n) | BigInt(b[index] ?? 0));
    expect(pairs.size).toBe(COUNT);
  });

  it('collide in either half as often as chance has it', () => {
    const expected = COUNT ** 2 / 2 ** 33;
    for (const half of [a, b]) {
      expect(Math.abs(countCollisions(half) - expected)).toBeLessThan(6 * Math.sqrt(expected));
    }
  });

  it('fill shards, home slots and low bits evenly, and the halves are independent', () => {
    const top = (value: number) => value >>> 24;
    const low = (value: number) => value & 255;
    const joint = Uint32Array.from(a, (value, index) => ((value >>> 28) << 4) | ((b[index] ?? 0) >>> 28));
    for (const score of [
      unevenness(a, top),
      unevenness(b, top),
      unevenness(a, low),
      unevenness(b, low),
      unevenness(joint, low),
    ]) {
      expect(Math.abs(score)).toBeLessThan(6);
    }
  });
});

it('changes half of the 64 bits when one character changes', () => {
  const before = new Int32Array(2);
  const after = new Int32Array(2);
  const flips = new Float64Array(64);
  const rounds = 42 * 500;
  for (let round = 0; round < rounds; round += 1) {
    const text = `0x${randomBytes(20).toString('hex')}`;
    const place = 2 + (round % 40);
    const char = HEX.charAt((HEX.indexOf(text.charAt(place)) + 1) % 16);
    writeFingerprint(text, before);
    writeFingerprint(text.slice(0, place) + char + text.slice(place + 1), after);
    for (let bit = 0; bit < 64; bit += 1) {
      const changed = ((before[bit >> 5] ?? 0) ^ (after[bit >> 5] ?? 0)) >>> (bit & 31);
      flips[bit] = (flips[bit] ?? 0) + (changed & 1);
    }
  }
  for (const count of flips) expect(Math.abs(count / rounds - 0.5)).toBeLessThan(0.03);
});

it('is never (0, 0), which marks an empty slot, and takes the empty text', () => {
  const out = new Int32Array(2);
  writeFingerprint('', out);
  expect(out[0] === 0 && out[1] === 0).toBe(false);
});
