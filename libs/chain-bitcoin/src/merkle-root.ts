// SPDX-License-Identifier: Apache-2.0
import { hash256 } from './hash.ts';

/**
 * The Merkle root of a block. `isMutated`: two neighbors on some level are equal, so that a shorter list has
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

/** The levels below the root, the leaves first. */
export function computeMerkleLevels(leaves: readonly Buffer[]): (readonly Buffer[])[] {
  const levels: (readonly Buffer[])[] = [];
  for (let level = leaves; level.length > 1; level = hashPairs(level)) levels.push(level);
  return levels;
}

/** Siblings from a leaf up to the root. */
export function listSiblings(levels: readonly (readonly Buffer[])[], index: number): Buffer[] {
  return levels.map((level, height) => {
    const at = index >> height;
    return level[at ^ 1] ?? level[at]!;
  });
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
