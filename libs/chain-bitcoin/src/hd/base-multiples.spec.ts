import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { addBaseMultiples } from './base-multiples.ts';

const { Point } = secp256k1;
const { Fn } = Point;
const multiple = (scalar: bigint) => (scalar === 0n ? Point.ZERO : Point.BASE.multiply(scalar));

describe('addBaseMultiples', () => {
  it('adds as @noble/curves does, many at once', () => {
    const scalar = fc.oneof(
      fc.bigInt({ min: 0n, max: Fn.ORDER - 1n }),
      fc.bigInt({ min: 0n, max: 600n }),
      fc.constant(Fn.ORDER - 1n),
    );
    const pair = fc
      .tuple(fc.bigInt({ min: 1n, max: Fn.ORDER - 1n }), scalar)
      .filter(([of, by]) => (of + by) % Fn.ORDER !== 0n);
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 8 }), (pairs) => {
        const sums = addBaseMultiples(
          pairs.map(([of]) => multiple(of).toAffine()),
          pairs.map(([, by]) => Fn.toBytes(by)),
        );
        expect(sums).toEqual(pairs.map(([of, by]) => multiple(of).add(multiple(by)).toAffine()));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a point to itself', 5n, 5n],
    ['what is equal on the way', 7n, 256n + 7n],
    ['what is opposite on the way', Fn.ORDER - 7n, 256n + 7n],
    ['nothing', 9n, 0n],
  ])('adds %s', (_name, of, by) => {
    const [other, sum] = addBaseMultiples(
      [3n, of].map((scalar) => multiple(scalar).toAffine()),
      [4n, by].map((scalar) => Fn.toBytes(scalar)),
    );
    expect([other, sum]).toEqual([multiple(7n).toAffine(), multiple((of + by) % Fn.ORDER).toAffine()]);
  });

  it('refuses what has no address: a sum at infinity, a tweak that is no scalar', () => {
    const point = multiple(5n).toAffine();
    expect(() => addBaseMultiples([point], [Fn.toBytes(Fn.ORDER - 5n)])).toThrow('the point at infinity');
    const order = Buffer.from(Fn.ORDER.toString(16), 'hex');
    expect(() => addBaseMultiples([point], [order])).toThrow('below the order of the curve');
  });
});
