// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, ChainError, type BlockRef } from '@chainwatch/chain-core';
import type { BalanceReader } from './balance-reader.ts';
import type { Reading, Target } from './target.ts';

/** A piece of work over more blocks than this is catching up: everything is read once, at the cursor. */
const BLOCKS_MAX = 8;
const QUERIES_MAX = 500;

export interface Answers {
  readonly readings: readonly Reading[];
  /** Targets whose contract did not answer. */
  readonly silent: readonly Target[];
}

/**
 * Asks the chain. When the node no longer has the state of a block (pruned), the balance is read at the cursor
 * instead.
 * @throws BlockNotFoundError when the node does not have the cursor's state: node or analyzer has to move first
 */
export async function readTargets(
  client: BalanceReader,
  {
    targets,
    cursor,
    signal,
  }: { readonly targets: readonly Target[]; readonly cursor: BlockRef; readonly signal: AbortSignal },
): Promise<Answers> {
  const groups = await Promise.all(
    groupByBlock(targets, cursor).map(async ([at, group]) => {
      try {
        return await readGroup(client, { targets: group, block: at, signal });
      } catch (error) {
        if (!(error instanceof BlockNotFoundError) || at.hash === cursor.hash) throw error;
        return readGroup(client, { targets: group, block: cursor, signal });
      }
    }),
  );
  return {
    readings: groups.flatMap((group) => group.readings),
    silent: groups.flatMap((group) => group.silent),
  };
}

function groupByBlock(targets: readonly Target[], cursor: BlockRef): [BlockRef, Target[]][] {
  const byHash = new Map<string, [BlockRef, Target[]]>();
  for (const target of targets) {
    const at = target.block ?? cursor;
    const entry = byHash.get(at.hash) ?? [at, []];
    entry[1].push(target);
    byHash.set(at.hash, entry);
  }
  return byHash.size > BLOCKS_MAX ? [[cursor, [...targets]]] : [...byHash.values()];
}

async function readGroup(
  client: BalanceReader,
  {
    targets,
    block,
    signal,
  }: { readonly targets: readonly Target[]; readonly block: BlockRef; readonly signal: AbortSignal },
): Promise<Answers> {
  const [amounts, baselines] = await Promise.all([
    ask(client, { at: block, targets, signal }),
    readBaselines(client, { targets, block, signal }),
  ]);
  const readings: Reading[] = [];
  const silent: Target[] = [];
  for (const [position, target] of targets.entries()) {
    const amountRaw = amounts[position];
    if (amountRaw === undefined) silent.push(target);
    else if (!target.isSuspected || amountRaw !== 0n)
      readings.push({ ...target, block, amountRaw, baselineRaw: baselines.get(target) });
  }
  return { readings, silent };
}

/**
 * The first reading of a balance is also made just before the block that causes it: otherwise a change that the block's
 * transfers do not explain would go unnoticed. If the node has no state there, the first reading is the base.
 */
async function readBaselines(
  client: BalanceReader,
  {
    targets,
    block,
    signal,
  }: { readonly targets: readonly Target[]; readonly block: BlockRef; readonly signal: AbortSignal },
): Promise<Map<Target, bigint>> {
  const baselines = new Map<Target, bigint>();
  const byParent = new Map<string, Target[]>();
  // What is read at the cursor instead of its block, because there are too many, has no base.
  for (const target of targets)
    if (target.parent !== undefined && (target.block ?? block).hash === block.hash)
      byParent.set(target.parent.hash, [...(byParent.get(target.parent.hash) ?? []), target]);
  if (byParent.size > BLOCKS_MAX) return baselines;
  const read = async (first: readonly Target[]): Promise<void> => {
    try {
      const amounts = await ask(client, { at: first[0]!.parent!, targets: first, signal });
      for (const [position, target] of first.entries())
        if (amounts[position] !== undefined) baselines.set(target, amounts[position]);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
    }
  };
  await Promise.all([...byParent.values()].map(read));
  return baselines;
}

async function ask(
  client: BalanceReader,
  {
    at,
    targets,
    signal,
  }: { readonly at: BlockRef; readonly targets: readonly Target[]; readonly signal: AbortSignal },
): Promise<(bigint | undefined)[]> {
  const amounts: (bigint | undefined)[] = [];
  for (let from = 0; from < targets.length; from += QUERIES_MAX) {
    const part = targets.slice(from, from + QUERIES_MAX);
    amounts.push(
      ...(await client.readBalances(
        at,
        part.map(({ address, assetGid }) => ({ address, assetGid })),
        signal,
      )),
    );
  }
  return amounts;
}
