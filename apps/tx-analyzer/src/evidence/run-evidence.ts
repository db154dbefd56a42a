// SPDX-License-Identifier: Apache-2.0
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { describePublicly, type Block, type BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import type { WriterQueue, WriterWork } from '../commit/writer-queue.ts';
import { analyseAgain } from '../reprocess/analyse-again.ts';
import { EVIDENCE_OVERDUE, endSettling } from '../commit/end-settling.ts';

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

/**
 * One transaction: the evidence for blocks came. Records that say the same are proved, and confirmed where their block is
 * final. What the evidence contradicts is undone, with the events of a reorg, and the truth is told.
 *
 * @param isNext they follow the last block that is done, so that they are done then; those that a reorg took away since
 *   are not
 */
function settleBlocks(blocks: readonly Block[], isNext: boolean): WriterWork<void> {
  return analyseAgain(blocks, async (sql, { chain }, canonical) => {
    const last = canonical.at(-1);
    if (isNext && last !== undefined)
      await sql.query(
        'UPDATE analyzer_states SET settled_number = GREATEST(settled_number, $2) WHERE chain_gid = $1',
        [chain.gid, last.number],
      );
    if (!isNext)
      await sql.query(
        `UPDATE incidents i SET status = 'resolved', resolved_at = now() WHERE i.chain_gid = $1 AND i.kind = $2 AND i.status = 'open'
           AND NOT EXISTS (SELECT FROM blocks b WHERE b.chain_gid = i.chain_gid AND b.number BETWEEN i.block_number AND i.last_block_number
             AND b.status IN ('processed', 'confirmed') AND b.verification = 'unproved')`,
        [chain.gid, EVIDENCE_OVERDUE],
      );
  });
}

/**
 * One transaction: the evidence for a block did not come in time. What is `settling` in it becomes `unproved`, with an
 * incident: from then on other endpoints are asked, and the operator may vouch. Nothing where a reorg came first.
 *
 * @param reason for people: what came instead
 */
function giveUpEvidence(ref: BlockRef, reason: string): WriterWork<void> {
  return async ({ chain }) => {
    await chain.share.transaction(async (sql) => {
      const { rowCount } = await sql.query(
        `UPDATE blocks SET verification = 'unproved' WHERE chain_gid = $1 AND hash = $2 AND status IN ('processed', 'confirmed')`,
        [chain.gid, ref.hash],
      );
      if (rowCount === 0) return;
      await endSettling(sql, chain, {
        ...ref,
        unknowns: [
          { kind: EVIDENCE_OVERDUE, expected: 'a later header that proves the receipts', got: reason },
        ],
      });
      await sql.query(
        'UPDATE analyzer_states SET settled_number = GREATEST(settled_number, $2) WHERE chain_gid = $1',
        [chain.gid, ref.number],
      );
    });
    return { value: undefined, events: [] };
  };
}

/** A block whose evidence has not been looked at. */
interface UnsettledBlock extends BlockRef {
  /** Milliseconds of chain time from it to the block that was analysed last. */
  readonly behindMs: number;
  /** The chain calls it final. */
  readonly isFinal: boolean;
  /** Its evidence did not come in time, and nothing in it is `settling` any more. */
  readonly isGivenUp: boolean;
}

interface Row {
  readonly number: number;
  readonly hash: string;
  readonly behind_ms: number;
  readonly is_final: boolean;
  readonly is_given_up: boolean;
}

const COLUMNS = `b.number, b.hash, coalesce(extract(epoch FROM head.block_timestamp - b.block_timestamp) * 1000, 0)::float8 AS behind_ms,
  coalesce(b.number <= s.confirmed_number, false) AS is_final, b.verification IS NOT DISTINCT FROM 'unproved' AND NOT EXISTS (
    SELECT FROM unproved_transactions u WHERE u.chain_gid = s.chain_gid AND u.block_hash = b.hash AND u.verdict = 'settling') AS is_given_up`;
const BLOCKS = `analyzer_states s JOIN blocks b ON b.chain_gid = s.chain_gid AND b.status IN ('processed', 'confirmed')
  LEFT JOIN blocks head ON head.chain_gid = s.chain_gid AND head.hash = s.cursor_hash`;

/** The next blocks behind the last one that is done, ascending. */
async function findUnsettled(sql: Sql, chainGid: string, limit: number): Promise<UnsettledBlock[]> {
  const { rows } = await sql.query<Row>({
    name: 'find_unsettled',
    text: `SELECT ${COLUMNS} FROM ${BLOCKS}
           WHERE s.chain_gid = $1 AND b.number > coalesce(s.settled_number, -1) AND b.number <= s.cursor_number
           ORDER BY b.number LIMIT $2`,
    values: [chainGid, limit],
  });
  return rows.map(toBlock);
}

/**
 * Blocks whose evidence was given up, in the range of the open incident, and blocks that hold transactions found late;
 * from `after` on, ascending.
 */
async function findOverdue(
  sql: Sql,
  chainGid: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<UnsettledBlock[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${COLUMNS} FROM ${BLOCKS}
     WHERE s.chain_gid = $1 AND b.number > $2 AND b.number <= s.settled_number AND (
       b.verification = 'unproved' AND EXISTS (SELECT FROM incidents i WHERE i.chain_gid = s.chain_gid AND i.kind = $4 AND i.status = 'open'
         AND b.number BETWEEN i.block_number AND i.last_block_number)
       OR b.hash IN (SELECT u.block_hash FROM unproved_transactions u WHERE u.chain_gid = s.chain_gid AND u.verdict = 'settling' AND u.block_number <= s.settled_number))
     ORDER BY b.number LIMIT $3`,
    [chainGid, after, limit, EVIDENCE_OVERDUE],
  );
  return rows.map(toBlock);
}

/** Whether there is an incident of blocks whose evidence was given up. */
async function isOverdueOpen(sql: Sql, chainGid: string): Promise<boolean> {
  const { rows } = await sql.query(
    `SELECT FROM incidents WHERE chain_gid = $1 AND kind = $2 AND status = 'open'`,
    [chainGid, EVIDENCE_OVERDUE],
  );
  return rows.length > 0;
}

function toBlock({ number, hash, behind_ms, is_final, is_given_up }: Row): UnsettledBlock {
  return { number, hash, behindMs: behind_ms, isFinal: is_final, isGivenUp: is_given_up };
}
