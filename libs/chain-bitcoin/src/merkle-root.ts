import { hash256 } from './hash.ts';

/**
 * The Merkle root of a block. `isMutated`: two neighbours on some level are equal, so that a shorter list has
 * the same root (CVE-2012-2459). No valid block has that.
 */
export function computeMerkleRoot(leaves: readonly Buffer[]): { root: Buffer; isMutated: boolean } {
  let level = leaves;
  let isMutated = false;
  while (level.length > 1) {
    isMutated ||= level.some((hash, index) => index % 2 === 1 && hash.equals(level[index - 1]!));
    level = hashPairs(level);
  }
  return { root: level[0] ?? Buffer.alloc(32), isMutated };
}

/** Siblings from a leaf up to the root. */
export function computeMerkleBranch(leaves: readonly Buffer[], index: number): Buffer[] {
  const branch: Buffer[] = [];
  for (let [level, at] = [leaves, index]; level.length > 1; [level, at] = [hashPairs(level), at >> 1])
    branch.push(level[at ^ 1] ?? level[at]!);
  return branch;
}

/** The next level. An odd hash at the end is paired with itself, which is no mutation. */
function hashPairs(level: readonly Buffer[]): Buffer[] {
  const pair = Buffer.allocUnsafe(64);
  const next: Buffer[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const left = level[index] as Buffer;
    pair.set(left, 0);
    pair.set(level[index + 1] ?? left, 32);
    next.push(hash256(pair));
  }
  return next;
}
