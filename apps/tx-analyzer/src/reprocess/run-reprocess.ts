import type { Logger } from '@chainwatch/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import type { BlockRef } from '@chainwatch/chain-core';
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

/**
 * Decodes the blocks of the operator's requests again, behind the head, until the signal aborts. Progress is in the
 * request's row, committed together with the results, so that the chain's next owner continues there.
 */
export async function runReprocess(deps: ReprocessDeps): Promise<void> {
  const { sql, chainGid, writerQueue, readBody, logger, pollMs, signal } = deps;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const request = await findRequest(sql, chainGid);
      if (request !== undefined) {
        const { refs, nextBlock } = await findRefs(sql, chainGid, request);
        const blocks = await Promise.all(refs.map((ref) => readBody(ref)));
        await writerQueue.enqueue(
          reprocessBlocks(
            request,
            nextBlock,
            blocks.filter((block) => block !== undefined),
          ),
        );
        if (nextBlock > request.toBlock)
          logger.info(
            { chain_gid: chainGid, from_block: request.fromBlock, to_block: request.toBlock },
            'blocks were processed again',
          );
        failures = 0;
        continue;
      }
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      logger.warn({ chain_gid: chainGid, err: error }, 'blocks could not be processed again, retrying');
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

/** The next canonical blocks that were analysed, and the number after them; skipped numbers have no block. */
async function findRefs(
  sql: Sql,
  chainGid: string,
  { nextBlock, toBlock }: ReprocessRequest,
): Promise<{ refs: BlockRef[]; nextBlock: number }> {
  const { rows: refs } = await sql.query<{ number: number; hash: string }>(
    `SELECT number, hash FROM blocks WHERE chain_gid = $1 AND number BETWEEN $2 AND $3 AND status IN ('processed', 'confirmed') ORDER BY number LIMIT ${STEP_BLOCKS}`,
    [chainGid, nextBlock, toBlock],
  );
  return { refs, nextBlock: refs.length < STEP_BLOCKS ? toBlock + 1 : refs.at(-1)!.number + 1 };
}
