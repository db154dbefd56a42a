// SPDX-License-Identifier: Apache-2.0
import { isItemFault, retryAll, RETRY_EVERY } from '@chainwatch/quarantine';
import type { Logger, WorkerHealth } from '@chainwatch/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { describePublicly, type BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { PassedBlockReader } from '../match/find-retroactive-candidates.ts';
import type { WriterQueue } from '../commit/writer-queue.ts';
import { reprocessBlocks } from './reprocess-blocks.ts';

interface ReprocessDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly writerQueue: WriterQueue;
  readonly readBody: PassedBlockReader;
  readonly logger: Logger;
  readonly pollMs: number;
  readonly health: WorkerHealth;
  readonly signal: AbortSignal;
}

/** A row of reprocesses that is not done. */
export interface ReprocessRequest {
  readonly id: string;
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Blocks below are done. */
  readonly nextBlock: number;
}

/** Blocks per step, read at once: a step stays small and short, and the head continues between two steps. */
const STEP_BLOCKS = 16;
const WAIT_MS_MAX = 60_000;
/** Before the transaction at fault is looked for. */
const FAULTS_MAX = 2;

/**
 * Decodes the blocks of the operator's requests again, behind the head, until the signal aborts. Progress is in the
 * request's row, committed together with the results, so that the chain's next owner continues there.
 */
export async function runReprocess(deps: ReprocessDeps): Promise<void> {
  const { sql, chainGid, writerQueue, readBody, logger, health, pollMs, signal } = deps;
  let failures = 0;
  let faults = 0;
  let isStarted = false;
  while (!signal.aborted) {
    try {
      if (!isStarted)
        for (const step of ['analysis', 'confirmation', 'progress']) await retryAll(sql, chainGid, step);
      isStarted = true;
      const request = (await findRequest(sql, chainGid)) ?? (await askAgain(sql, chainGid));
      if (request !== undefined) {
        const { refs, nextBlock } = await findRefs(sql, chainGid, request);
        const blocks = await Promise.all(refs.map((ref) => readBody(ref)));
        await writerQueue.enqueue(
          reprocessBlocks(
            { id: request.id, nextBlock, isSuspect: faults >= FAULTS_MAX },
            blocks.filter((block) => block !== undefined),
          ),
        );
        faults = 0;
        if (nextBlock > request.toBlock)
          logger.info(
            { chain_gid: chainGid, from_block: request.fromBlock, to_block: request.toBlock },
            'blocks were processed again',
          );
        failures = 0;
        health.succeed();
        continue;
      }
      failures = 0;
      health.succeed();
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      health.fail(describePublicly(error));
      faults = isItemFault(error) ? faults + 1 : 0;
      logger.warn({ chain_gid: chainGid, err: error }, 'failed to reprocess blocks, will retry');
    }
    await delay(Math.min(pollMs * 2 ** Math.min(failures, 10), WAIT_MS_MAX), undefined, { signal }).catch(
      () => undefined,
    );
  }
}

async function findRequest(sql: Sql, chainGid: string): Promise<ReprocessRequest | undefined> {
  const { rows } = await sql.query<{ id: string; from_block: number; to_block: number; next_block: number }>(
    `SELECT id, from_block, to_block, next_block FROM reprocesses WHERE chain_gid = $1 AND status = 'running'`,
    [chainGid],
  );
  const row = rows[0];
  return row && { id: row.id, fromBlock: row.from_block, toBlock: row.to_block, nextBlock: row.next_block };
}

/** A request of our own, for the lowest block with something that is set aside and is due to be tried again. */
async function askAgain(sql: Sql, chainGid: string): Promise<ReprocessRequest | undefined> {
  const { rowCount } = await sql.query(
    `WITH due AS (
       SELECT i.block_number FROM incidents i JOIN analyzer_states s ON s.chain_gid = i.chain_gid AND s.cursor_number >= i.block_number
       WHERE i.chain_gid = $1 AND i.kind = 'poison:analysis' AND i.status = 'quarantined' AND i.retry_at <= clock_timestamp()
       ORDER BY i.block_number LIMIT 1),
     later AS (
       UPDATE incidents i SET retry_at = clock_timestamp() + ${RETRY_EVERY} FROM due
       WHERE i.chain_gid = $1 AND i.kind = 'poison:analysis' AND i.status = 'quarantined' AND i.block_number = due.block_number)
     INSERT INTO reprocesses (chain_gid, from_block, to_block, next_block) SELECT $1, block_number, block_number, block_number FROM due
     ON CONFLICT (chain_gid) WHERE status = 'running' DO NOTHING`,
    [chainGid],
  );
  return rowCount === 0 ? undefined : findRequest(sql, chainGid);
}

/** The next canonical blocks that were analysed, and the number after them; skipped numbers have no block. */
async function findRefs(
  sql: Sql,
  chainGid: string,
  { nextBlock, toBlock }: ReprocessRequest,
): Promise<{ refs: BlockRef[]; nextBlock: number }> {
  const { rows: refs } = await sql.query<{ number: number; hash: string }>(
    `SELECT number, hash FROM analysed_blocks($1, $2, $3, ${STEP_BLOCKS})`,
    [chainGid, nextBlock, toBlock],
  );
  return { refs, nextBlock: refs.length < STEP_BLOCKS ? toBlock + 1 : refs.at(-1)!.number + 1 };
}
