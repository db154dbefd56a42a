import { sha256 } from './sha256.ts';

/** Root of a block's transactions (java-tron, MerkleTree). 32 zero bytes without leaves. */
export function computeMerkleRoot(leaves: readonly Buffer[]): Buffer {
  let level = leaves;
  while (level.length > 1) level = hashPairs(level);
  return level[0] ?? Buffer.alloc(32);
}

/** Siblings from a leaf up to the root; null on a level where it is the odd one out. */
export function computeMerkleBranch(leaves: readonly Buffer[], index: number): (Buffer | null)[] {
  const branch: (Buffer | null)[] = [];
  for (let [level, at] = [leaves, index]; level.length > 1; [level, at] = [hashPairs(level), at >> 1])
    branch.push(level[at ^ 1] ?? null);
  return branch;
}

/** The next level: pairs are hashed together, an odd one out goes up as it is. */
function hashPairs(level: readonly Buffer[]): Buffer[] {
  const next: Buffer[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const left = level[index] as Buffer;
    const right = level[index + 1];
    next.push(right === undefined ? left : sha256(left, right));
  }
  return next;
}
