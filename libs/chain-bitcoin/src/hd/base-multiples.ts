import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';

/** A point of secp256k1, never the one at infinity. */
export interface AffinePoint {
  readonly x: bigint;
  readonly y: bigint;
}

const { Point } = secp256k1;
const prime = Point.Fp.ORDER;
const scalarBytes = 32;
const order = Buffer.from(Point.Fn.toBytes(Point.Fn.ORDER - 1n));

let table: readonly (readonly AffinePoint[])[] | undefined;

/**
 * `points[i] + scalars[i]·G` of many at once. Each scalar is the sum of its bytes at their places, so each point takes
 * one addition from a table per byte that is not zero; all of them take the same step together, which needs one inversion
 * for the whole step and a third of the multiplications of projective coordinates. Nothing here is secret: the time it
 * takes may tell of the values.
 * @param scalars 32 bytes each, big-endian
 */
export function addBaseMultiples(
  points: readonly AffinePoint[],
  scalars: readonly Uint8Array[],
): AffinePoint[] {
  // Both have a probability below 2⁻¹²⁷ (BIP-32, BIP-341): such an index has no address.
  if (scalars.some((scalar) => Buffer.compare(scalar, order) > 0))
    throw new Error(
      'expected a tweak below the order of the curve, got a greater one: the index has no address',
    );
  table ??= makeTable();
  const sums = [...points];
  const special = new Set<number>();
  for (const [window, multiples] of table.entries()) {
    const steps: Step[] = [];
    for (const [position, scalar] of scalars.entries()) {
      const digit = scalar[scalarBytes - 1 - window]!;
      if (digit === 0 || special.has(position)) continue;
      const [from, addend] = [sums[position]!, multiples[digit]!];
      // Equal or opposite: the slope of a sum is not defined.
      if (from.x === addend.x) special.add(position);
      else steps.push({ position, from, addend, run: mod(addend.x - from.x) });
    }
    addAll(steps, sums);
  }
  for (const position of special) sums[position] = addOne(points[position]!, scalars[position]!);
  return sums;
}

interface Step {
  readonly position: number;
  readonly from: AffinePoint;
  readonly addend: AffinePoint;
  /** Difference of the x coordinates, not zero. */
  readonly run: bigint;
}

/** Montgomery's trick: the inverse of a product, multiplied by all factors but one, is the inverse of that one. */
function addAll(steps: readonly Step[], sums: AffinePoint[]): void {
  if (steps.length === 0) return;
  const products: bigint[] = [];
  let product = 1n;
  for (const { run } of steps) {
    products.push(product);
    product = (product * run) % prime;
  }
  let inverse = Point.Fp.inv(product);
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const { position, from, addend, run } = steps[index]!;
    const slope = mod((addend.y - from.y) * ((inverse * products[index]!) % prime));
    inverse = (inverse * run) % prime;
    const x = mod(slope * slope - from.x - addend.x);
    sums[position] = { x, y: mod(slope * (from.x - x) - from.y) };
  }
}

function addOne(point: AffinePoint, scalar: Uint8Array): AffinePoint {
  const multiple = Point.BASE.multiplyUnsafe(BigInt(`0x${Buffer.from(scalar).toString('hex')}`));
  const sum = multiple.add(Point.fromAffine(point));
  if (sum.is0()) throw new Error('expected a point, got the point at infinity: the index has no address');
  return sum.toAffine();
}

/** `[window][digit]` is digit·256^window·G. */
function makeTable(): AffinePoint[][] {
  const rows: InstanceType<typeof Point>[][] = [];
  let base = Point.BASE;
  for (let window = 0; window < scalarBytes; window += 1) {
    // What stands for digit 0 is never looked up.
    const row = [base, base];
    while (row.length < 256) row.push(row.at(-1)!.add(base));
    rows.push(row);
    base = row.at(-1)!.add(base);
  }
  return rows.map((row) => normalizeZ(Point, row).map((point) => point.toAffine()));
}

function mod(value: bigint): bigint {
  const rest = value % prime;
  return rest < 0n ? rest + prime : rest;
}
