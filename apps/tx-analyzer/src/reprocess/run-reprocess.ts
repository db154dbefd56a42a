// SPDX-License-Identifier: Apache-2.0
import {
  isItemFault,
  retryAll,
  RETRY_EVERY,
  findPoison,
  rehearse,
  type Poison,
} from '@chainwatch/data/quarantine';
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { describePublicly, type BlockRef, type Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { PassedBlockReader } from '../match/find-retroactive-candidates.ts';
import type { WriterQueue, WriterContext, WriterWork } from '../commit/writer-queue.ts';
import { recordPoison } from '../commit/record-poison.ts';
import { keyOf, type SetAsideKey } from '../model/set-asides.ts';
import { analyseAgain } from './analyse-again.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { DECIMALS_INCIDENT } from '../match/correct-token.ts';
import { writeUnknowns } from '../commit/write-unknowns.ts';
import { findLastSpender } from '../utxo/unproved-coins.ts';
import { EVIDENCE_OVERDUE } from '../commit/end-settling.ts';

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

interface Request {
  readonly id: string;
  /** Blocks below are done afterwards. */
  readonly nextBlock: number;
  /** It failed before, and maybe because of a single transaction: that one is found and set aside first. */
  readonly isSuspect: boolean;
}

/**
 * One transaction: writes what today's decoder finds in blocks analysed before, with the same events as if it had
 * been found then, and the progress of the request. What is set aside of these blocks is tried again.
 */
function reprocessBlocks(request: Request, decoded: readonly Block[]): WriterWork<void> {
  return async (context) => {
    const { db, chain } = context;
    const poison = request.isSuspect ? await findAmong(context, decoded) : [];
    const kept = new Set(poison.map(({ item }) => keyOf(item)));
    const finish = async (sql: Sql, _: WriterContext, blocks: readonly Block[]): Promise<void> => {
      await recordPoison(sql, chain, poison);
      await endOthers(sql, chain.gid, { blocks: decoded, kept });
      await writeProgress(sql, chain, { requestId: request.id, nextBlock: request.nextBlock, blocks });
    };
    const result = await chain.setAsides.releasing(decoded, () =>
      chain.setAsides.without(
        poison.map(({ item }) => item),
        () => analyseAgain(decoded, finish)(context),
      ),
    );
    await chain.setAsides.load(db, chain.gid);
    return result;
  };
}

/** New ones first, without what is set aside; then what of that still fails. */
async function findAmong(context: WriterContext, blocks: readonly Block[]): Promise<Poison<SetAsideKey>[]> {
  const { setAsides } = context.chain;
  const known = setAsides.listOf(blocks);
  const all = blocks.flatMap(({ number, hash: blockHash, transactions }) =>
    transactions.map(({ hash }): SetAsideKey => ({ block: { number, hash: blockHash }, hash })),
  );
  const nothing = (): Promise<void> => Promise.resolve();
  const find = (keys: readonly SetAsideKey[], apart: readonly SetAsideKey[]) =>
    findPoison(keys, (some) =>
      rehearse(() =>
        setAsides.withOnly(some, { among: keys, apart }, () => analyseAgain(blocks, nothing, true)(context)),
      ),
    );
  return setAsides.releasing(blocks, async () => {
    const fresh = await find(all, known);
    const apart = fresh.map(({ item }) => item);
    return [...fresh, ...(await find(known, apart))];
  });
}

/** What is set aside at the blocks' heights and was processed now, or is not there any more. */
async function endOthers(
  sql: Sql,
  chainGid: string,
  { blocks, kept }: { readonly blocks: readonly Block[]; readonly kept: ReadonlySet<string> },
): Promise<void> {
  await sql.query(
    `UPDATE incidents SET status = 'resolved', resolved_at = now()
     WHERE chain_gid = $1 AND kind = 'poison:analysis' AND status = 'quarantined' AND block_number = ANY($2::bigint[])
       AND block_hash || '|' || transaction_hash || '|' || coalesce(project_id::text, '') <> ALL($3::text[])`,
    [chainGid, blocks.map(({ number }) => number), [...kept]],
  );
}

/**
 * Stores, in an open transaction, that blocks below `nextBlock` are done. The request grows to the blocks of transactions
 * that lacked evidence for what they spend, where that is proved now. A completed request closes the incidents
 * whose blocks it read from first to last without meeting their kinds again. What was told with wrong decimals stays told.
 */
async function writeProgress(
  sql: Sql,
  chain: ChainContext,
  {
    requestId,
    nextBlock,
    blocks,
  }: { readonly requestId: string; readonly nextBlock: number; readonly blocks: readonly Block[] },
): Promise<void> {
  const kinds = blocks.flatMap(({ unknowns = [], verification }) => [
    ...unknowns.map(({ kind }) => kind),
    ...(verification === 'settling' ? [EVIDENCE_OVERDUE] : []),
  ]);
  await writeUnknowns(sql, { chain, blocks, matches: [] });
  const lastSpender =
    chain.utxo &&
    (await findLastSpender(
      sql,
      chain,
      blocks.map(({ hash }) => hash),
    ));
  const { rows } = await sql.query<{
    status: string;
    from_block: number;
    to_block: number;
    found_kinds: string[];
  }>(
    `UPDATE reprocesses SET next_block = $2, found_kinds = ARRAY(SELECT DISTINCT k FROM unnest(found_kinds || $3::text[]) AS k ORDER BY k),
       to_block = GREATEST(to_block, $4), status = CASE WHEN $2 > GREATEST(to_block, $4) THEN 'done' ELSE status END, updated_at = now()
     WHERE id = $1 RETURNING status, from_block, to_block, found_kinds`,
    [requestId, nextBlock, kinds, lastSpender ?? null],
  );
  const request = rows[0];
  if (request?.status !== 'done') return;
  await sql.query(
    `UPDATE incidents SET status = 'resolved', resolved_at = now() WHERE chain_gid = $1 AND status = 'open'
       AND block_number >= $2 AND coalesce(last_block_number, block_number) <= $3 AND kind <> ALL($4) AND kind NOT LIKE '${DECIMALS_INCIDENT}%' AND kind NOT LIKE 'skipped:%'`,
    [chain.gid, request.from_block, request.to_block, request.found_kinds],
  );
}
