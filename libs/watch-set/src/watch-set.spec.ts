import fc from 'fast-check';
import { WatchSet } from './watch-set.ts';

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
            expect(watchSet.hasAt(`ab${address}c`, 2, address.length)).toBe(model.has(address));
            expect(watchSet.hasAt(address, 0, address.length)).toBe(model.has(address));
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
