import { sha256 } from './sha256.ts';

/** Root of a block's transactions (java-tron, MerkleTree): pairs are hashed together, an odd one out goes up as it is. 32 zero bytes without leaves. */
export function computeMerkleRoot(leaves: readonly Buffer[]): Buffer {
  let level = leaves;
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const left = level[index] as Buffer;
      const right = level[index + 1];
      next.push(right === undefined ? left : sha256(left, right));
    }
    level = next;
  }
  return level[0] ?? Buffer.alloc(32);
}
