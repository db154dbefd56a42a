import type { Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { BlockRing } from './block-ring.ts';
import type { LateAddress } from './chain-watch.ts';
import { findCandidates, type BlockCandidates } from './find-candidates.ts';

const PAGE_BLOCKS = 256;
const WINDOW = 16;

interface LateDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly ring: BlockRing;
  /** Undefined for an orphan whose body is gone. */
  readonly readBody: (ref: { number: number; hash: string }) => Promise<Block | undefined>;
}

/**
 * What the blocks already passed hold for addresses that were registered meanwhile: from the ring, and from the chain
 * where the ring does not reach back far enough. Keeps hits only, so the reach may be any.
 */
export async function findLateCandidates(deps: LateDeps, late: readonly LateAddress[], cursorNumber: number): Promise<BlockCandidates[]> {
  if (late.length === 0) return [];
  const addresses = new Set(late.map((entry) => entry.address));
  const from = late.reduce((lowest, entry) => Math.min(lowest, entry.fromBlock), Number.MAX_SAFE_INTEGER);
  const ringFirst = deps.ring.firstNumber ?? cursorNumber + 1;
  const found: BlockCandidates[] = [];
  const take = (block: Block | undefined): void => {
    const candidates = block === undefined ? undefined : findCandidates(block, addresses);
    if (candidates !== undefined) found.push(candidates);
  };
  if (from < ringFirst) for await (const block of readPassed(deps, from, ringFirst - 1)) take(block);
  for (const block of deps.ring.from(from)) take(block);
  return found;
}

/** Blocks of the canonical chain in [from, to] that were analysed already, ascending; a few are read at once. */
async function* readPassed(deps: LateDeps, from: number, to: number): AsyncGenerator<Block | undefined> {
  for (let next = from; next <= to; ) {
    const { rows } = await deps.sql.query<{ number: number; hash: string }>(
      `SELECT number, hash FROM blocks WHERE chain_gid = $1 AND number BETWEEN $2 AND $3 AND status IN ('processed', 'confirmed') ORDER BY number LIMIT ${PAGE_BLOCKS}`,
      [deps.chainGid, next, to],
    );
    for (let start = 0; start < rows.length; start += WINDOW) {
      yield* await Promise.all(rows.slice(start, start + WINDOW).map((ref) => deps.readBody(ref)));
    }
    if (rows.length < PAGE_BLOCKS) return;
    next = rows.at(-1)!.number + 1;
  }
}
