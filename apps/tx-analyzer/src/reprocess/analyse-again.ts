// SPDX-License-Identifier: Apache-2.0
import { type AddressFilter, type Block, lacksEvidence, type Verification } from '@chainwatch/chain-core';
import type { Sql, Transaction } from '@chainwatch/data/db';
import { transactionIdOf } from '@chainwatch/events';
import { endRehearsal } from '@chainwatch/data/quarantine';
import { BalanceReads, listUsed, movedTokens } from '../match/prepare-blocks.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding } from '../model/chain-cursor.ts';
import type { BlocksStep } from '../model/blocks-step.ts';
import { endSettling } from '../commit/end-settling.ts';
import { confirmTransactions } from '../commit/confirm-transactions.ts';
import { type BlockCandidates, findCandidates, findHits } from '../match/find-hits.ts';
import { listBlockChanges } from '../match/list-block-changes.ts';
import { matchTransactions, hasWord } from '../match/match-transactions.ts';
import { outpointKey } from '../model/coin.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { heldPairs, readStates, STATE_COLUMNS, type TransactionRow } from '../commit/read-states.ts';
import { writeStep } from '../commit/run-step.ts';
import { unpackBlocks } from '../commit/unpack-blocks.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import { beginAgain, releaseCoins } from '../utxo/unproved-coins.ts';
import { UtxoFinder } from '../utxo/utxo-finder.ts';
import type { WriterContext, WriterWork } from '../commit/writer-queue.ts';
import {
  compareChanges,
  deleteChanges,
  type StaleChange,
  rewriteRecords,
  undoRecords,
} from './rewrite-records.ts';
import { isWhole, planReprocess, type ReprocessPlan, agreedKey } from './plan-reprocess.ts';
import { describeAttested, judgeOpinions } from '../commit/judge-opinions.ts';

/**
 * One transaction: compares blocks that were analysed before with what is read of them now, writes what differs, and
 * what `finish` adds. A rehearsal leaves nothing behind (`rehearse`).
 *
 * @param finish gets the blocks that are still canonical
 * @throws IncompleteBlockError where a sender is not who signed: the block must be read again
 */
export function analyseAgain(
  decoded: readonly Block[],
  finish: (sql: Sql, context: WriterContext, blocks: readonly Block[]) => Promise<void>,
  isRehearsal = false,
): WriterWork<void> {
  return async (context) => {
    const { db, chain, assets } = context;
    const blocks = await keepCanonical(db, chain, decoded);
    const { step, plan, stale } = await prepareAgain(context, blocks);
    const events = await chain.share.transaction(async (sql) => {
      const written = await writeAgain(sql, context, { step, plan, stale, blocks });
      for (const block of await findFallen(sql, chain, blocks)) await endSettling(sql, chain, block);
      await markBlocks(sql, chain, blocks);
      await finish(sql, context, blocks);
      if (isRehearsal) return endRehearsal(sql);
      return written;
    });
    assets.markSaved(step.newAssets, movedTokens(step.retroactive, chain.network.native?.gid).keys());
    return { value: undefined, events };
  };
}

/** Blocks that waited for evidence and hold something unknown instead: nothing more comes of waiting. */
async function findFallen(sql: Sql, chain: ChainContext, blocks: readonly Block[]): Promise<Block[]> {
  const unproved = blocks.filter(({ verification }) => verification === 'unproved');
  if (unproved.length === 0) return [];
  const { rows } = await sql.query<{ hash: string }>(
    `SELECT b.hash FROM blocks b WHERE b.chain_gid = $1 AND b.hash = ANY($2) AND (b.verification = 'settling'
       OR EXISTS (SELECT FROM unproved_transactions u WHERE u.chain_gid = b.chain_gid AND u.block_hash = b.hash AND u.verdict = 'settling'))`,
    [chain.gid, unproved.map(({ hash }) => hash)],
  );
  const fallen = new Set(rows.map(({ hash }) => hash));
  return unproved.filter(({ hash }) => fallen.has(hash));
}

/** Stores what stands behind the blocks now. What lacks evidence is less than what was there: it changes no other word. */
async function markBlocks(sql: Sql, chain: ChainContext, blocks: readonly Block[]): Promise<void> {
  await sql.query(
    `UPDATE blocks b SET verification = v.verification FROM unnest($2::text[], $3::text[]) AS v (hash, verification)
     WHERE b.chain_gid = $1 AND b.hash = v.hash AND b.verification IS DISTINCT FROM v.verification
       AND (v.verification NOT IN ('settling', 'unproved') OR b.verification IS NULL OR b.verification = 'settling')`,
    [chain.gid, blocks.map(({ hash }) => hash), blocks.map(({ verification }) => verification ?? 'proved')],
  );
}

/** The blocks are about to be written to: what is packed becomes rows. A reorg may have come since they were read: this release decodes their replacements anyway. */
async function keepCanonical(sql: Sql, chain: ChainContext, blocks: readonly Block[]): Promise<Block[]> {
  await unpackBlocks(
    sql,
    chain.gid,
    blocks.map(({ number }) => number),
  );
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
): Promise<Omit<Again, 'blocks'>> {
  const { db: sql, chain, client, watch, assets, signal } = context;
  const { gid: chainGid, family, network, utxo, setAsides } = chain;
  const hits = await findHits(
    { sql, chainGid, family, network, watch, utxo, setAsides },
    [],
    await findAgain(context, blocks),
  );
  const matches = hits.retroactive
    .flatMap(({ block, transactions }) => matchTransactions({ block, transactions, watched: hits.watched }))
    .filter((match) => !setAsides.hasMatch(match));
  for (const block of blocks) {
    const own = matches.filter((match) => match.block === block).map(({ transaction }) => transaction);
    if (own.length > 0) await client.proveSenders?.(block, [...new Set(own)], signal);
  }
  const records = (await readRecords(sql, chain, blocks)).filter((record) => !setAsides.hasRecord(record));
  const agreed = await findAgreed(context, { blocks, records });
  const plan = planReprocess({ chainGid, blocks, matches, records, agreed });
  const retroactive = [...plan.fresh, ...plan.grown];
  const reads = new BalanceReads();
  const { fresh: changes, stale } = await compareChanges(sql, chainGid, {
    blocks,
    changes: hits.retroactive.flatMap((candidates) => listBlockChanges(candidates, hits.watched)),
  });
  reads.addChanged([...changes, ...stale]);
  reads.addDetected(retroactive, { nativeGid: network.native?.gid, atBlock: false });
  // A transfer that is no longer true has also explained a balance.
  for (const record of findChanged(chainGid, plan, records))
    for (const pair of heldPairs(chain, record)) reads.add({ ...pair, reason: 'detected' });
  const moved = movedTokens(retroactive, network.native?.gid);
  const newAssets = await assets.prepare(moved, signal);
  const step = {
    blocks: [],
    matches: [],
    retroactive,
    changes,
    reads: reads.list(),
    newAssets,
    usedIds: listUsed(retroactive, hits.watched),
    utxos: hits.utxos,
  };
  return { step, plan, stale };
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
    return blocks
      .map((block) => findCandidates(block, watch, chain.setAsides))
      .filter((found) => found !== undefined);
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
    transactions: finder.find(chain.setAsides.keep(block)),
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
  readonly stale: readonly StaleChange[];
  readonly blocks: readonly Block[];
}

async function writeAgain(
  sql: Transaction,
  context: WriterContext,
  { step, plan, stale, blocks }: Again,
): Promise<OutboxEvent[]> {
  const { chain, advance, now } = context;
  const { cursor } = advance;
  const isHeld = isHolding(cursor);
  const headNumber = cursor.number ?? 0;
  const grownIds = new Map(
    plan.grown.map((match) => [transactionIdOf(match.projectId, chain.gid, match.transaction.hash), match]),
  );
  if (chain.utxo !== undefined)
    await beginAgain(
      sql,
      chain,
      blocks.filter(isWhole).map(({ hash }) => hash),
    );
  await deleteChanges(sql, stale);
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
  if (chain.utxo !== undefined)
    await releaseCoins(
      sql,
      chain,
      plan.proved.map(({ record }) => ({ hash: record.hash, blockHash: record.blockHash! })),
    );
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
  return events;
}

/** A record of these may hold what a node alone told. */
const ASKED: ReadonlySet<Verification> = new Set(['attested', 'agreed']);

/**
 * Asks endpoints of other operators about what one attests of recorded transactions in blocks that are read again, one request a
 * block. Returns what they tell alike (`agreedKey`): it outweighs what one node attested before. An endpoint that does not answer
 * agrees on nothing.
 */
async function findAgreed(
  { chain, client, signal }: Pick<WriterContext, 'chain' | 'client' | 'signal'>,
  { blocks, records }: { readonly blocks: readonly Block[]; readonly records: readonly TransactionState[] },
): Promise<ReadonlySet<string>> {
  const agreed = new Set<string>();
  if (!chain.hasOthers) return agreed;
  const labels = new Set(client.clients.map(({ label }) => label));
  for (const block of blocks) {
    const told = records.filter(({ blockHash }) => blockHash === block.hash);
    const attested = block.transactions.filter(
      (transaction) =>
        !lacksEvidence(transaction.verification) &&
        told.some(
          ({ hash, verification }) =>
            hash === transaction.hash && (hasWord(transaction) || ASKED.has(verification)),
        ),
    );
    const endpoint = chain.endpointOf(block);
    if (attested.length === 0 || endpoint === undefined) continue;
    const opinions = await client.readBlockElsewhere(block, endpoint, signal);
    for (const transaction of attested) {
      const own = describeAttested(transaction, block.leavesOut);
      if (judgeOpinions(own, { endpoint, labels, opinions }) === 'agreed')
        agreed.add(agreedKey(block.hash, transaction.hash));
    }
  }
  return agreed;
}
