// SPDX-License-Identifier: Apache-2.0
import { sha256 } from './sha256.ts';

/** Root of a block's transactions (java-tron, MerkleTree). 32 zero bytes without leaves. */
export function computeMerkleRoot(leaves: readonly Buffer[]): Buffer {
  let level = leaves;
  while (level.length > 1) level = hashPairs(level);
  return level[0] ?? Buffer.alloc(32);
}

/** The levels below the root, the leaves first. */
export function computeMerkleLevels(leaves: readonly Buffer[]): (readonly Buffer[])[] {
  const levels: (readonly Buffer[])[] = [];
  for (let level = leaves; level.length > 1; level = hashPairs(level)) levels.push(level);
  return levels;
}

/** Siblings from a leaf up to the root; null on a level where it is the odd one out. */
export function listSiblings(levels: readonly (readonly Buffer[])[], index: number): (Buffer | null)[] {
  return levels.map((level, height) => level[(index >> height) ^ 1] ?? null);
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
