// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { HistoryJob } from './history-turn.ts';

/** Both ends are included. As the column has it. */
export interface NotCovered {
  readonly from_block: number;
  readonly to_block: number;
}

/** Ranges of one history, at most: then those that lie closest together become one. */
const RANGES_MAX = 100;

/**
 * The blocks in which transfers of a job's address may be missing, because the chain recorded less at that time
 * (`Transaction.partialFor`), by the id of the address.
 *
 * @param accounts other accounts of the addresses, by address, that were found with these blocks
 */
export function findNotCovered(
  jobs: readonly HistoryJob[],
  blocks: readonly Block[],
  accounts: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly number[]> {
  const partial = blocks.flatMap(({ number, transactions }) => {
    const named = transactions.flatMap(({ partialFor }) => partialFor ?? []);
    return named.length === 0 ? [] : [{ number, named: new Set(named) }];
  });
  if (partial.length === 0) return new Map();
  return new Map(
    jobs.map(({ addressId, address, accounts: known, toBlock }) => {
      const own = [address, ...known, ...(accounts.get(address) ?? [])];
      const found = partial.filter(
        ({ number, named }) => number <= toBlock && own.some((account) => named.has(account)),
      );
      return [addressId, found.map(({ number }) => number)];
    }),
  );
}

/** Ranges with more blocks in them, ascending. What is joined covers more blocks than are known to lack something. */
export function addBlocks(
  ranges: readonly NotCovered[],
  numbers: readonly number[],
  max = RANGES_MAX,
): readonly NotCovered[] {
  const sorted = [...ranges, ...numbers.map((number) => ({ from_block: number, to_block: number }))].sort(
    (a, b) => a.from_block - b.from_block,
  );
  const joined: NotCovered[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last === undefined || range.from_block > last.to_block + 1) joined.push(range);
    else joined[joined.length - 1] = { ...last, to_block: Math.max(last.to_block, range.to_block) };
  }
  while (joined.length > max) {
    const gaps = joined.slice(1).map(({ from_block: from }, at) => from - joined[at]!.to_block);
    const at = gaps.indexOf(Math.min(...gaps));
    joined.splice(at, 2, { from_block: joined[at]!.from_block, to_block: joined[at + 1]!.to_block });
  }
  return joined;
}
