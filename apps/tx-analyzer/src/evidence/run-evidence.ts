// SPDX-License-Identifier: Apache-2.0
import type { Logger, WorkerHealth } from '@chainwatch/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { describePublicly, type Block, type BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { ChainContext } from '../model/chain-context.ts';
import type { WriterQueue } from '../commit/writer-queue.ts';
import { findOverdue, findUnsettled, isOverdueOpen, type UnsettledBlock } from './find-unsettled.ts';
import { giveUpEvidence } from './give-up-evidence.ts';
import { settleBlocks } from './settle-blocks.ts';

interface EvidenceDeps {
  readonly sql: Sql;
  readonly chain: Pick<ChainContext, 'gid'>;
  /** What usually passes until a block's evidence comes. */
  readonly evidenceDelayMs: number;
  /** Reads a block as proved as it can be now. */
  readonly readBlock: (ref: BlockRef, signal: AbortSignal) => Promise<Block>;
  readonly writerQueue: WriterQueue;
  readonly logger: Logger;
  readonly pollMs: number;
  readonly health: WorkerHealth;
  readonly signal: AbortSignal;
}

/** Blocks that are read at once. */
const BLOCKS_MAX = 8;
/** Evidence is overdue after so many times its usual time. */
const OVERDUE_FACTOR = 10;
const WAIT_MS_MAX = 60_000;

/**
 * Proves the blocks of a chain whose evidence follows the block, until the signal aborts: a block is read again once the
 * chain calls it final. Where the evidence stays away for ten times its usual time, by the chain's clock and by ours, the
 * block is given up (`giveUpEvidence`), and tried again ever more seldom.
 */
export async function runEvidence(deps: EvidenceDeps): Promise<void> {
  const { chain, logger, health, pollMs, signal } = deps;
  const follower = new EvidenceFollower(deps);
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (await follower.step()) continue;
      failures = 0;
      health.succeed();
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      health.fail(describePublicly(error));
      logger.warn({ chain_gid: chain.gid, err: error }, 'failed to prove blocks, will retry');
    }
    await delay(Math.min(pollMs * 2 ** Math.min(failures, 10), WAIT_MS_MAX), undefined, { signal }).catch(
      () => undefined,
    );
  }
}

/** What a block says now, or why it says nothing. */
type Told = { readonly block: Block } | { readonly reason: string };

class EvidenceFollower {
  readonly #deps: EvidenceDeps;
  /** When the evidence of a block was asked for first, by its hash; of blocks that have none. */
  readonly #firstAskedAtMs = new Map<string, number>();
  #retryAfter = -1;
  #retryAtMs = 0;
  #fruitless = 0;

  constructor(deps: EvidenceDeps) {
    this.#deps = deps;
  }

  /** True when there may be more to do at once. */
  async step(): Promise<boolean> {
    const { sql, chain } = this.#deps;
    const next = await findUnsettled(sql, chain.gid, BLOCKS_MAX);
    const due = next.filter((block) => block.isFinal || this.#isLate(block));
    if (due.length > 0 && (await this.#settle(due))) return true;
    if (performance.now() >= this.#retryAtMs) await this.#retry();
    return false;
  }

  /** Settles the blocks up to the first one without evidence. True when it got on. */
  async #settle(due: readonly UnsettledBlock[]): Promise<boolean> {
    const { writerQueue, logger, chain } = this.#deps;
    const told = await this.#readAll(due);
    const stop = told.findIndex((one) => 'reason' in one);
    const settled = told
      .slice(0, stop < 0 ? told.length : stop)
      .map((one) => (one as { block: Block }).block);
    if (settled.length > 0) {
      for (const { hash } of settled) this.#firstAskedAtMs.delete(hash);
      await writerQueue.enqueue(settleBlocks(settled, true));
      return true;
    }
    const [first] = due;
    const [answer] = told;
    if (first === undefined || answer === undefined || !('reason' in answer)) return false;
    if (!this.#isOverdue(first)) return false;
    logger.error(
      { chain_gid: chain.gid, height: first.number, hash: first.hash, reason: answer.reason },
      'evidence did not come in time',
    );
    await writerQueue.enqueue(giveUpEvidence(first, answer.reason));
    return true;
  }

  /** Asks again for what was given up; ever more seldom while nothing comes of it. */
  async #retry(): Promise<void> {
    const { sql, chain, writerQueue, pollMs, evidenceDelayMs } = this.#deps;
    const after = this.#retryAfter;
    const overdue = await findOverdue(sql, chain.gid, { after, limit: BLOCKS_MAX });
    // A reorg may have taken the blocks of an incident away.
    if (overdue.length === 0 && after < 0 && (await isOverdueOpen(sql, chain.gid)))
      await writerQueue.enqueue(settleBlocks([], false));
    this.#retryAfter = overdue.length < BLOCKS_MAX ? -1 : overdue.at(-1)!.number;
    const told = await this.#readAll(overdue);
    // What is unproved for another reason comes to nothing by being read again.
    const done = told.flatMap((one, place) =>
      'block' in one && !(one.block.verification === 'unproved' && overdue[place]!.isGivenUp)
        ? [one.block]
        : [],
    );
    for (const { hash } of done) this.#firstAskedAtMs.delete(hash);
    if (done.length > 0) await writerQueue.enqueue(settleBlocks(done, false));
    for (const [place, one] of told.entries()) {
      const block = overdue[place]!;
      if ('reason' in one && !block.isGivenUp && this.#isOverdue(block))
        await writerQueue.enqueue(giveUpEvidence(block, one.reason));
    }
    this.#fruitless = overdue.length === 0 || done.length > 0 ? 0 : this.#fruitless + 1;
    const restMs = overdue.length === 0 ? pollMs : evidenceDelayMs * 2 ** Math.min(this.#fruitless, 8);
    this.#retryAtMs = performance.now() + restMs;
  }

  #readAll(blocks: readonly UnsettledBlock[]): Promise<Told[]> {
    return Promise.all(blocks.map((block) => this.#read(block)));
  }

  async #read(ref: BlockRef): Promise<Told> {
    const { readBlock, signal } = this.#deps;
    const atMs = performance.now();
    if (!this.#firstAskedAtMs.has(ref.hash)) this.#firstAskedAtMs.set(ref.hash, atMs);
    try {
      const block = await readBlock({ number: ref.number, hash: ref.hash }, signal);
      return block.verification === 'settling'
        ? { reason: 'no header of this chain that proves it' }
        : { block };
    } catch (error) {
      if (signal.aborted) throw error;
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The chain went on for long enough behind the block. */
  #isLate({ behindMs }: UnsettledBlock): boolean {
    return behindMs >= OVERDUE_FACTOR * this.#deps.evidenceDelayMs;
  }

  #isOverdue(block: UnsettledBlock): boolean {
    const askedAtMs = this.#firstAskedAtMs.get(block.hash) ?? performance.now();
    return (
      this.#isLate(block) && performance.now() - askedAtMs >= OVERDUE_FACTOR * this.#deps.evidenceDelayMs
    );
  }
}
