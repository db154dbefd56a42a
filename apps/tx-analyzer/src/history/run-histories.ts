// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import {
  BlockNotFoundError,
  ChainClientError,
  describePublicly,
  type BlocksOfAddresses,
  type ChainClient,
} from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { isItemFault, retryAll, setAside } from '@chainwatch/data/quarantine';
import { type Logger, type WorkerHealth, counter } from '@chainwatch/platform/telemetry';
import type { WriterQueue } from '../commit/writer-queue.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { commitHistory } from './commit-history.ts';
import { HistoryTurns, type HistoryTurn } from './history-turn.ts';
import { findNotCovered } from './not-covered.ts';
import { prepareBatch, type Batch, type BatchDeps } from './prepare-batch.ts';
import { countByAddress, writeFailure, type HistoryProgress } from './write-progress.ts';

export interface HistoryDeps extends BatchDeps {
  readonly writerQueue: WriterQueue;
  /** The chain is behind or recovers: all of its node is for the head. */
  readonly isHeadBusy: () => boolean;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly health: WorkerHealth;
  readonly pollMs: number;
}

/** Blocks read at once: the bound of history's share of the node. */
const BODIES_AT_ONCE = 8;
const YIELD_MS = 100;

/**
 * Reads what addresses did before they were watched, behind the head, one turn after the other until the signal aborts.
 * How far each job is stands in its row and is committed together with what was found: the chain's next owner continues
 * there.
 */
export async function runHistories(deps: HistoryDeps): Promise<void> {
  const { sql, chain, logger, health, pollMs, signal } = deps;
  const turns = new HistoryTurns(sql, chain.gid);
  await retryAll(sql, chain.gid, 'history').catch(() => undefined);
  while (!signal.aborted) {
    let turn: HistoryTurn | undefined;
    try {
      await untilHeadIsIdle(deps);
      turn = await turns.take();
      if (turn !== undefined) await runTurn(deps, turn);
      if (turn !== undefined || (health.isFailing && !(await isSomeLeft(sql, chain.gid)))) health.succeed();
      if (turn !== undefined) continue;
    } catch (error) {
      if (signal.aborted) return;
      // Those two are named otherwise.
      if (!isItemFault(error) && !(error instanceof BlockNotFoundError)) health.fail(describePublicly(error));
      const where = { chain_gid: chain.gid, height: turn?.fromBlock };
      logger.warn({ ...where, err: error }, 'failed to read history, will retry');
      if (turn !== undefined) {
        const mayBeOne = turn.jobs.length > 1 && isRefusal(error);
        // Nobody waits longer for what the node refuses of somebody else.
        if (!mayBeOne) await fail(deps, turn, error);
        if (mayBeOne || isItemFault(error)) await runApart(deps, turn).catch(() => undefined);
      }
    }
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The node answered, and that it does not have something, or an error: maybe because of one address of the turn. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof BlockNotFoundError || (error instanceof ChainClientError && error.nodeCode !== undefined)
  );
}

/** Whether a history that failed waits for its next time. */
async function isSomeLeft(sql: Sql, chainGid: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `SELECT FROM address_histories h WHERE chain_gid = $1 AND status = 'running' AND failure_count > 0 AND NOT EXISTS (
       SELECT FROM incidents i WHERE i.address_id = h.address_id AND i.kind = 'poison:history' AND i.status = 'quarantined') LIMIT 1`,
    [chainGid],
  );
  return rowCount === 1;
}

async function fail({ sql, chain }: HistoryDeps, turn: HistoryTurn, error: unknown): Promise<void> {
  const isMissing = error instanceof BlockNotFoundError;
  const reason = isMissing
    ? `${describePublicly(error)}: history needs a node that has not pruned the range; it is asked again every hour, and when the history is asked for again`
    : describePublicly(error);
  await writeFailure(sql, { chainGid: chain.gid, turn, failure: { reason, isMissing } }).catch(
    () => undefined,
  );
}

/** A turn failed, and maybe because of one address: each is tried alone, and set aside where it fails alone. */
async function runApart(deps: HistoryDeps, turn: HistoryTurn): Promise<void> {
  const { sql, chain } = deps;
  for (const job of turn.jobs) {
    const alone = { ...turn, jobs: [job], toBlock: Math.min(turn.toBlock, job.toBlock) };
    const error = await runTurn(deps, alone).then(
      () => undefined,
      (fault: unknown) => fault,
    );
    if (error === undefined) continue;
    await fail(deps, alone, error);
    if (!isItemFault(error)) continue;
    const { addressId, projectId } = job;
    const block = { number: turn.fromBlock, hash: '' };
    await setAside(sql, chain.gid, [
      { step: 'history', subject: { type: 'address', id: addressId }, projectId, addressId, block, error },
    ]);
  }
}

/**
 * Lists the next blocks of a turn, and stores them in batches: while one is written, the next one is read, matched and
 * proved.
 */
async function runTurn(deps: HistoryDeps, turn: HistoryTurn): Promise<void> {
  const { client, signal } = deps;
  const page = await listBlocks(client, turn, signal);
  const startedAtMs = performance.now();
  const prepare = (start: number): Promise<Batch> =>
    prepareBatch(deps, { turn, refs: page.refs.slice(start, start + BODIES_AT_ONCE) });
  let next = prepare(0);
  for (let start = 0; start === 0 || start < page.refs.length; start += BODIES_AT_ONCE) {
    const batch = await next;
    await untilHeadIsIdle(deps);
    const end = start + BODIES_AT_ONCE;
    if (end < page.refs.length) next = prepare(end);
    // It is awaited later, or not at all.
    next.catch(() => undefined);
    const nextBlock = (end < page.refs.length ? batch.blocks.at(-1)!.number : page.toBlock) + 1;
    const seconds = Math.max(0.001, (performance.now() - startedAtMs) / 1000);
    const blocksPerSecond = (nextBlock - turn.fromBlock) / seconds;
    const accounts: ReadonlyMap<string, readonly string[]> = page.accounts ?? new Map();
    const notCovered = findNotCovered(turn.jobs, batch.blocks, accounts);
    await store(deps, { turn, found: batch, progress: { nextBlock, blocksPerSecond, accounts, notCovered } });
  }
}

/** Commits what blocks hold for the turn's jobs, in steps; the last one says how far the jobs are. */
async function store(
  { chain, writerQueue }: HistoryDeps,
  {
    turn: { jobs },
    found: { blocks, matches },
    progress,
  }: { readonly turn: HistoryTurn; readonly found: Batch; readonly progress: Omit<HistoryProgress, 'found'> },
): Promise<void> {
  const found = countByAddress(matches);
  const steps = splitSteps(matches);
  let stored = 0;
  for (const [position, step] of steps.entries()) {
    const isLast = position === steps.length - 1;
    stored += await writerQueue.enqueue(
      commitHistory({ jobs, matches: step, blocks, ...(isLast ? { progress: { ...progress, found } } : {}) }),
    );
  }
  recordHistory(chain.gid, { blocks: blocks.length, transactions: stored });
}

async function untilHeadIsIdle({ isHeadBusy, signal }: HistoryDeps): Promise<void> {
  while (isHeadBusy() && !signal.aborted) await delay(YIELD_MS, undefined, { signal });
}

const blocks = counter('chainwatch_history_blocks_total', {
  description: 'Blocks read for the history of addresses.',
});
const transactions = counter('chainwatch_history_transactions_total', {
  description: 'Transactions that history found and stored.',
});

function recordHistory(
  chainGid: string,
  counts: { readonly blocks: number; readonly transactions: number },
): void {
  const attributes = { chain_gid: chainGid };
  blocks.add(counts.blocks, attributes);
  transactions.add(counts.transactions, attributes);
}

/** Transfers, or transactions without one, in one step at most; a transaction stays whole. */
const STEP_ROWS = 500;

/** At least one step, so that there is one for the progress. */
export function splitSteps(
  matches: readonly MatchedTransaction[],
  rowsMax = STEP_ROWS,
): readonly (readonly MatchedTransaction[])[] {
  const steps: MatchedTransaction[][] = [[]];
  let rows = 0;
  for (const match of matches) {
    const weight = Math.max(1, match.transfers.length);
    if (rows > 0 && rows + weight > rowsMax) {
      steps.push([]);
      rows = 0;
    }
    steps.at(-1)!.push(match);
    rows += weight;
  }
  return steps;
}

/** Blocks of a turn, at most: then it is another job's turn. */
const PAGE_BLOCKS = 64;

/**
 * The next blocks of a turn: those that the node names for the addresses, where it can tell; else all of them.
 * @throws BlockNotFoundError when the node does not have them
 */
async function listBlocks(
  client: ChainClient,
  { jobs, fromBlock, toBlock }: HistoryTurn,
  signal: AbortSignal,
): Promise<BlocksOfAddresses> {
  if (fromBlock > toBlock) return { refs: [], toBlock: fromBlock - 1 };
  const addresses = jobs.map(({ address }) => address);
  const accounts = new Map(jobs.map((job) => [job.address, job.accounts]));
  const found = await client.findBlocksOf?.({ addresses, accounts, fromBlock, toBlock }, signal);
  if (found !== undefined) return found;
  const last = Math.min(toBlock, fromBlock + PAGE_BLOCKS - 1);
  const headers = await client.readHeaders(fromBlock, last, signal);
  const first = headers[0];
  if (first === undefined) throw new BlockNotFoundError(`block ${fromBlock} is not known to the node`);
  const reached = headers.at(-1)!;
  return { refs: headers.map(({ number, hash }) => ({ number, hash })), toBlock: reached.number };
}
