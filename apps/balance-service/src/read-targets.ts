import { BlockNotFoundError, type BlockRef, type ChainClient } from '@chainwatch/chain-core';
import type { Reading, Target } from './target.ts';

/** More blocks than that in one piece of work is catching up: everything is read once, at the cursor. */
const BLOCKS_MAX = 8;
const QUERIES_MAX = 500;

/**
 * Asks the chain. A block that the node does not have (orphaned, or its state pruned) is read at the cursor instead.
 * Targets that the contract does not answer for are left out.
 * @throws BlockNotFoundError when the node does not have the cursor's state: the analyzer has to move first
 */
export async function readTargets(client: ChainClient, targets: readonly Target[], cursor: BlockRef, signal: AbortSignal): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (const [at, group] of groupByBlock(targets, cursor)) {
    try {
      readings.push(...(await readGroup(client, group, at, signal)));
    } catch (error) {
      if (!(error instanceof BlockNotFoundError) || at.hash === cursor.hash) throw error;
      readings.push(...(await readGroup(client, group, cursor, signal)));
    }
  }
  return readings;
}

function groupByBlock(targets: readonly Target[], cursor: BlockRef): Map<BlockRef, Target[]> {
  const blocks = new Set(targets.map((target) => target.block?.hash ?? cursor.hash));
  if (blocks.size > BLOCKS_MAX) return new Map([[cursor, [...targets]]]);
  const byHash = new Map<string, [BlockRef, Target[]]>();
  for (const target of targets) {
    const at = target.block ?? cursor;
    const entry = byHash.get(at.hash) ?? [at, []];
    entry[1].push(target);
    byHash.set(at.hash, entry);
  }
  return new Map(byHash.values());
}

async function readGroup(client: ChainClient, targets: readonly Target[], block: BlockRef, signal: AbortSignal): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (let from = 0; from < targets.length; from += QUERIES_MAX) {
    const part = targets.slice(from, from + QUERIES_MAX);
    const amounts = await client.readBalances(block, part.map(({ address, assetGid }) => ({ address, assetGid })), signal);
    for (const [position, target] of part.entries()) {
      const amountRaw = amounts[position];
      if (amountRaw !== undefined && !(target.isSuspected && amountRaw === 0n)) readings.push({ ...target, block, amountRaw });
    }
  }
  return readings;
}
