import type { AddressFilter, Block } from '@chainwatch/chain-core';
import type { Sql, Transaction } from '@chainwatch/db';
import { transactionIdOf } from '@chainwatch/events';
import { BalanceReads, listUsed, movedTokens } from '../match/prepare-blocks.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding } from '../model/chain-cursor.ts';
import type { BlocksStep } from '../model/blocks-step.ts';
import { confirmTransactions } from '../commit/confirm-transactions.ts';
import { type BlockCandidates, findCandidates, findHits } from '../match/find-hits.ts';
import { matchTransactions } from '../match/match-transactions.ts';
import { outpointKey } from '../model/coin.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { heldPairs, readStates, STATE_COLUMNS, type TransactionRow } from '../commit/read-states.ts';
import { writeStep } from '../commit/run-step.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import { UtxoFinder } from '../utxo/utxo-finder.ts';
import type { WriterContext, WriterWork } from '../commit/writer-queue.ts';
import { planReprocess, type ReprocessPlan } from './plan-reprocess.ts';
import { rewriteRecords, undoRecords } from './rewrite-records.ts';
import { writeProgress } from './write-progress.ts';

/**
 * One transaction: writes what today's decoder finds in blocks analysed before, with the same events as if it had
 * been found then, and the progress of the request.
 */
export function reprocessBlocks(
  request: { readonly id: string },
  nextBlock: number,
  decoded: readonly Block[],
): WriterWork<void> {
  return async (context) => {
    const { db, chain, assets } = context;
    const blocks = await keepCanonical(db, chain, decoded);
    const { step, plan } = await prepareAgain(context, blocks);
    const events = await chain.share.transaction((sql) =>
      writeAgain(sql, context, { step, plan, blocks, requestId: request.id, nextBlock }),
    );
    assets.markSaved(step.newAssets, movedTokens(step.retroactive, chain.network.native.gid));
    return { value: undefined, events };
  };
}

/** A reorg may have come since the blocks were read: this release decodes their replacements anyway. */
async function keepCanonical(sql: Sql, chain: ChainContext, blocks: readonly Block[]): Promise<Block[]> {
  const { rows } = await sql.query<{ hash: string }>(
    `SELECT hash FROM blocks WHERE chain_gid = $1 AND hash = ANY($2) AND status IN ('processed', 'confirmed')`,
    [chain.gid, blocks.map(({ hash }) => hash)],
  );
  const canonical = new Set(rows.map(({ hash }) => hash));
  return blocks.filter(({ hash }) => canonical.has(hash));
}

async function prepareAgain(
  context: WriterContext,
  blocks: readonly Block[],
): Promise<{ step: BlocksStep; plan: ReprocessPlan }> {
  const { db: sql, chain, watch, assets, signal } = context;
  const { gid: chainGid, family, network, utxo } = chain;
  const hits = await findHits(
    { sql, chainGid, family, network, watch, utxo },
    [],
    await findAgain(context, blocks),
  );
  const matches = hits.retroactive.flatMap(({ block, transactions }) =>
    matchTransactions({ block, transactions, watched: hits.watched }),
  );
  const records = await readRecords(sql, chain, blocks);
  const plan = planReprocess({ chainGid, blocks, matches, records });
  const retroactive = [...plan.fresh, ...plan.grown];
  const reads = new BalanceReads();
  reads.addDetected(retroactive, { nativeGid: network.native.gid, atBlock: false });
  // A transfer that is no longer true has also explained a balance.
  for (const record of findChanged(chainGid, plan, records))
    for (const pair of heldPairs(chain, record)) reads.add({ ...pair, reason: 'detected' });
  const moved = movedTokens(retroactive, network.native.gid);
  const newAssets = await assets.prepare(moved, signal);
  const step = {
    blocks: [],
    matches: [],
    retroactive,
    reads: reads.list(),
    newAssets,
    usedIds: listUsed(retroactive, hits.watched),
    utxos: hits.utxos,
  };
  return { step, plan };
}

function findChanged(
  chainGid: string,
  { undone, grown }: ReprocessPlan,
  records: readonly TransactionState[],
): TransactionState[] {
  const ids = new Set(
    grown.map(({ projectId, transaction }) => transactionIdOf(projectId, chainGid, transaction.hash)),
  );
  return [...undone, ...records.filter(({ id }) => ids.has(id))];
}

async function findAgain(
  { db: sql, chain, watch }: WriterContext,
  blocks: readonly Block[],
): Promise<BlockCandidates[]> {
  const { utxo } = chain;
  if (utxo === undefined)
    return blocks.map((block) => findCandidates(block, watch)).filter((found) => found !== undefined);
  // Coins spent by these blocks are not among the unspent ones now.
  const { rows } = await sql.query<{ txid: string; vout: number }>(
    'SELECT txid, vout FROM utxos WHERE chain_gid = $1 AND spent_block_hash = ANY($2)',
    [chain.gid, blocks.map(({ hash }) => hash)],
  );
  const spent = new Set(rows.map(outpointKey));
  const coins: AddressFilter = { has: (key) => spent.has(key) || utxo.coins.has(key) };
  const finder = new UtxoFinder({ scripts: watch, coins });
  return blocks.map((block) => ({
    block,
    transactions: finder.find(block.transactions),
    balanceChanges: [],
  }));
}

async function readRecords(
  sql: Sql,
  chain: ChainContext,
  blocks: readonly Block[],
): Promise<TransactionState[]> {
  const { rows } = await sql.query<TransactionRow>(
    `SELECT ${STATE_COLUMNS} FROM transactions WHERE chain_gid = $1 AND block_hash = ANY($2) AND status IN ('detected', 'confirmed', 'failed')`,
    [chain.gid, blocks.map(({ hash }) => hash)],
  );
  return readStates(sql, rows, chain.learn);
}

interface Again {
  readonly step: BlocksStep;
  readonly plan: ReprocessPlan;
  readonly blocks: readonly Block[];
  readonly requestId: string;
  readonly nextBlock: number;
}

async function writeAgain(
  sql: Transaction,
  context: WriterContext,
  { step, plan, blocks, requestId, nextBlock }: Again,
): Promise<OutboxEvent[]> {
  const { chain, advance, now } = context;
  const { cursor } = advance;
  const isHeld = isHolding(cursor);
  const headNumber = cursor.number ?? 0;
  const grownIds = new Map(
    plan.grown.map((match) => [transactionIdOf(match.projectId, chain.gid, match.transaction.hash), match]),
  );
  const events = await undoRecords(sql, { chain, undone: plan.undone, options: { headNumber, isHeld, now } });
  await rewriteRecords(sql, chain, { blocks, grown: grownIds, proved: plan.proved });
  const input = {
    segment: { entries: [], orphans: [], blocks: [] },
    step,
    cursor,
    advance,
    outcome: { mined: [], dropped: [] },
    now,
  };
  events.push(...(await writeStep({ sql, chain, now }, input)));
  // A transaction proved now may have been final for long.
  if (cursor.confirmedNumber !== undefined && plan.proved.length > 0) {
    events.push(
      ...(await confirmTransactions(sql, {
        chain,
        finality: { number: cursor.confirmedNumber },
        options: { headNumber, isHeld, now },
      })),
    );
  }
  await writeProgress(sql, chain, { requestId, nextBlock, blocks });
  return events;
}
