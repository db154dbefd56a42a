import { hash256 } from './hash.ts';

/**
 * The Merkle root of a block. `isMutated`: two neighbours on some level are equal, so that a shorter list has
 * the same root (CVE-2012-2459). No valid block has that.
 */
export function computeMerkleRoot(leaves: readonly Buffer[]): { root: Buffer; isMutated: boolean } {
  const pair = Buffer.allocUnsafe(64);
  let level = leaves;
  let isMutated = false;
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const left = level[index] as Buffer;
      const right = level[index + 1];
      // An odd hash at the end is paired with itself, which is no mutation.
      if (right?.equals(left) === true) isMutated = true;
      pair.set(left, 0);
      pair.set(right ?? left, 32);
      next.push(hash256(pair));
    }
    level = next;
  }
  return { root: level[0] ?? Buffer.alloc(32), isMutated };
}
