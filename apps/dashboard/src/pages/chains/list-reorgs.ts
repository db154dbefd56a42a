// SPDX-License-Identifier: Apache-2.0
import type { Block } from '../../api/chain-queries.ts';

/** Blocks that left the chain, each upon the one before. */
type Branch = readonly Block[];

/** Branches beside each other: what one reorganization undid, or several at the same place. */
export interface Reorg {
  readonly from: number;
  readonly to: number;
  readonly branches: readonly Branch[];
}

/** @param blocks that left the chain, in any order. Returns the highest first */
export function listReorgs(blocks: readonly Block[]): Reorg[] {
  const reorgs: { from: number; to: number; branches: Branch[] }[] = [];
  const branches = listBranches(blocks).toSorted((one, other) => one[0]!.number - other[0]!.number);
  for (const branch of branches) {
    const [from, to] = [branch[0]!.number, branch.at(-1)!.number];
    const last = reorgs.at(-1);
    // Next to each other as well: the lower one is what the higher one was built upon.
    if (last !== undefined && from <= last.to + 1) {
      last.branches.push(branch);
      last.to = Math.max(last.to, to);
    } else reorgs.push({ from, to, branches: [branch] });
  }
  return reorgs.toReversed();
}

function listBranches(blocks: readonly Block[]): Block[][] {
  const branches: Block[][] = [];
  /** By the hash of the last block. */
  const growing = new Map<string, Block[]>();
  for (const block of blocks.toSorted((one, other) => one.number - other.number)) {
    const parent = block.parent_hash ?? '';
    const branch = growing.get(parent) ?? [];
    growing.delete(parent);
    if (branch.length === 0) branches.push(branch);
    branch.push(block);
    if (block.hash !== null) growing.set(block.hash, branch);
  }
  return branches;
}
