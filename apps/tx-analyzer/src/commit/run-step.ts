// SPDX-License-Identifier: Apache-2.0
import { lacksEvidence } from '@chainwatch/chain-core';
import type { Sql, Statement } from '@chainwatch/data/db';
import { transactionIdOf } from '@chainwatch/events';
import type { ChainContext, StepTransaction } from '../model/chain-context.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import { advanceAlone, advanceCursor, commitBlocks, type Advance } from './commit-blocks.ts';
import type { BlocksStep } from '../model/blocks-step.ts';
import { commitFinalize, lockStepSql, confirmTransactions } from './confirm-transactions.ts';
import { commitReorg } from './commit-reorg.ts';
import { closeMined, dropPending } from './drop-pending.ts';
import type { PendingOutcome } from '../model/pending-outcome.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import type { TransactionStatus } from '../model/transaction-state.ts';
import type { Existing, ExistingTransaction } from './plan-writes.ts';
import type { Segment } from '../model/segment.ts';
import { awaitsOthers, writeAttested } from './write-attested.ts';
import { unpackProved } from './settle-again.ts';
import { unpackBlocks } from './unpack-blocks.ts';
import { writeUnknowns } from './write-unknowns.ts';

export interface StepInput {
  readonly segment: Segment;
  readonly step: BlocksStep;
  readonly cursor: ChainCursor;
  readonly advance: Advance;
  /** What the segment's blocks mean for pending transactions. */
  readonly outcome: PendingOutcome;
  readonly now: Date;
}

export interface StepResult {
  readonly events: readonly OutboxEvent[];
  /** Held events were released. */
  readonly isReleased: boolean;
}

/** The atomic step (architecture.md, invariant 3): everything of a segment and the cursor in one database transaction. */
export async function runStep(chain: ChainContext, input: StepInput): Promise<StepResult> {
  const { segment, step, advance, outcome } = input;
  const isReleased = isHolding(input.cursor) && !isHolding(advance.cursor);
  const hasOutcome = outcome.mined.length > 0 || outcome.dropped.length > 0;
  if (
    !hasWrites(step) &&
    segment.orphans.length === 0 &&
    segment.finalize === undefined &&
    !isReleased &&
    !hasOutcome &&
    bodilessOf(segment).length === 0
  ) {
    await advanceAlone(chain, advance);
    return { events: [], isReleased };
  }
  const opening = openingOf(chain, step);
  const events = await chain.share.transaction(
    (sql, opened) => writeStep({ sql, chain, now: input.now }, input, { opened, isReleased }),
    { opening, keepsPlans: true },
  );
  return { events, isReleased };
}

interface Opening {
  readonly ids: readonly string[];
  /** Projects whose sequences are locked. */
  readonly counted: readonly string[];
  /** Projects whose confirmation policies are read. */
  readonly projectIds: readonly string[];
}

interface OpenedRow {
  readonly id: string | null;
  readonly status: TransactionStatus;
  readonly epoch: number;
  readonly block_hash: string | null;
  readonly detected_at: Date;
  readonly required_confirmations: number;
  readonly confirmation_depth: number | null;
  readonly project_id: string | null;
  readonly value: number | null;
}

/** What is locked and read before a step writes. */
function openingOf(chain: ChainContext, step: BlocksStep): Statement {
  const matches = [...step.retroactive, ...step.matches];
  const ids = matches.map(({ projectId, transaction }) =>
    transactionIdOf(projectId, chain.gid, transaction.hash),
  );
  const projectIds = [...new Set(matches.map(({ projectId }) => projectId))];
  return openStepSql(chain, { ids, counted: projectIds, projectIds });
}

function hasWrites(step: BlocksStep): boolean {
  return (
    step.matches.length > 0 ||
    step.retroactive.length > 0 ||
    step.reads.length > 0 ||
    step.utxos?.isEmpty === false ||
    hasUnknowns(step)
  );
}

/** Blocks with something unknown, or transactions that only a node's answer stands behind. */
function hasUnknowns({ blocks, matches, retroactive }: BlocksStep): boolean {
  return (
    blocks.some(({ unknowns }) => unknowns !== undefined && unknowns.length > 0) ||
    [retroactive, matches].some((all) =>
      all.some(({ transaction }) => lacksEvidence(transaction.verification)),
    )
  );
}

/** Orphans, and blocks that the operator allowed to skip. */
function bodilessOf({ blocks }: Segment): string[] {
  return blocks.flatMap(({ entry, block }) => (block === undefined ? [entry.hash] : []));
}

/** What only a node's word stands behind. */
async function writeWords(sql: Sql, chain: ChainContext, step: BlocksStep): Promise<void> {
  const matches = step.retroactive.length === 0 ? step.matches : [...step.retroactive, ...step.matches];
  if (hasUnknowns(step)) await writeUnknowns(sql, { chain, blocks: step.blocks, matches });
  const attested = matches.filter(({ transaction }) => awaitsOthers(chain, transaction.verification));
  if (attested.length > 0) await writeAttested(sql, chain, attested);
}

/** Packed blocks that a step writes to become rows, before any block is locked (ADR 22). */
async function unpackWritten(sql: Sql, chain: ChainContext, { segment, step }: StepInput): Promise<void> {
  const lowest = segment.orphans.at(-1);
  if (lowest !== undefined && chain.network.evidenceDelayMs !== undefined)
    await unpackProved(sql, chain.gid, lowest.number);
  if (step.retroactive.length > 0)
    await unpackBlocks(
      sql,
      chain.gid,
      step.retroactive.map(({ block }) => block.number),
    );
}

interface StepOpening {
  /** Rows of `openingOf`; absent: they are read here. */
  readonly opened?: readonly unknown[];
  /** Held events are released. */
  readonly isReleased: boolean;
}

/** Writes a step in an open transaction. */
export async function writeStep(
  transaction: StepTransaction,
  input: StepInput,
  { opened, isReleased }: StepOpening = { isReleased: false },
): Promise<OutboxEvent[]> {
  const { sql, chain, now } = transaction;
  const opening = openingOf(chain, input.step);
  const { segment, step, advance, outcome, cursor } = input;
  await unpackWritten(sql, chain, input);
  const events: OutboxEvent[] = [];
  let existing = readOpened(opened ?? (await sql.query(opening)).rows);
  // Held events are released first, so that they are published before the events of this step.
  if (isReleased)
    await sql.query('UPDATE event_log SET is_held = false WHERE chain_gid = $1 AND is_held', [chain.gid]);
  const headNumber = advance.cursor.number ?? 0;
  if (outcome.dropped.length > 0) {
    events.push(
      ...(await dropPending(sql, {
        chain,
        dropped: outcome.dropped,
        options: {
          headNumber,
          isHeld: isHolding(advance.cursor),
          now,
        },
      })),
    );
    existing = readOpened((await sql.query(opening)).rows);
  }
  const final =
    segment.finalize === undefined ? undefined : { entry: segment.finalize, after: cursor.confirmedNumber };
  if (final !== undefined && segment.blocks.length > 0)
    sql.send(
      lockStepSql(
        chain,
        final,
        advance.processed.map(({ hash }) => hash),
      ),
    );
  if (hasWrites(step)) events.push(...(await commitBlocks(transaction, { step, existing, advance })));
  else await advanceCursor(sql, chain, advance);
  await writeWords(sql, chain, step);
  const bodiless = bodilessOf(segment);
  if (bodiless.length > 0) await writeSkipped(sql, chain, bodiless);
  if (outcome.mined.length > 0) await closeMined(sql, chain.gid, outcome.mined);
  if (segment.orphans.length > 0)
    events.push(...(await commitReorg(transaction, segment.orphans, advance.cursor)));
  const finalNumber = Math.min(cursor.confirmedNumber ?? -1, advance.cursor.confirmedNumber ?? -1);
  if (step.retroactive.length > 0 && finalNumber >= 0) {
    // A transaction found late may be final already; no later feed entry will confirm it.
    const options = {
      headNumber: advance.cursor.number ?? finalNumber,
      isHeld: isHolding(advance.cursor),
      now,
    };
    events.push(...(await confirmTransactions(sql, { chain, finality: { number: finalNumber }, options })));
  }
  if (final !== undefined)
    events.push(...(await commitFinalize(sql, chain, { ...final, cursor: advance.cursor, now })));
  return events;
}

/**
 * Second statement of a step, after the fence: reads the known transactions and the projects' confirmation policies,
 * and locks the projects' sequences in the order of their ids, in one round trip. Only the owner of the chain writes
 * these transactions. A policy is read where it is applied, so that no replica can have an old one.
 */
function openStepSql(chain: ChainContext, { ids, counted, projectIds }: Opening): Statement {
  return {
    name: 'lock_and_read_existing',
    text: `WITH counters AS MATERIALIZED (SELECT project_id, value FROM project_sequences
               WHERE chain_gid = $1 AND project_id = ANY($3::uuid[]) ORDER BY project_id FOR NO KEY UPDATE)
           SELECT t.id, t.status, t.epoch, t.block_hash, t.detected_at, t.required_confirmations, t.confirmation_depth,
             NULL::uuid AS project_id, NULL::bigint AS value
           FROM transactions t WHERE t.id = ANY($2::uuid[])
           UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, project_id, value FROM counters
           UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, p.depth, p.project_id, NULL FROM confirmation_policies p
             WHERE p.chain_gid = $1 AND p.project_id = ANY($4::uuid[]) AND p.depth IS NOT NULL`,
    values: [chain.gid, ids, counted, projectIds],
  };
}

/** Reads the rows of `openStepSql`. */
function readOpened(opened: readonly unknown[]): Existing {
  const transactions = new Map<string, ExistingTransaction>();
  const sequences = new Map<string, number>();
  const depths = new Map<string, number>();
  for (const row of opened as readonly OpenedRow[]) {
    const { id, project_id: projectId, value, confirmation_depth: depth } = row;
    if (projectId !== null && value !== null) sequences.set(projectId, value);
    if (projectId !== null && depth !== null) depths.set(projectId, depth);
    if (id !== null)
      transactions.set(id, {
        id,
        status: row.status,
        epoch: row.epoch,
        detectedAt: row.detected_at,
        requiredConfirmations: row.required_confirmations,
        confirmationDepth: depth ?? undefined,
        blockHash: row.block_hash ?? undefined,
      });
  }
  return { transactions, sequences, depths };
}

/** The same in a transaction that is already open, where no sequence is needed yet. */
export async function lockAndReadExisting(
  sql: Sql,
  chain: ChainContext,
  { ids, projectIds }: Omit<Opening, 'counted'>,
): Promise<Existing> {
  return readOpened((await sql.query(openStepSql(chain, { ids, projectIds, counted: [] }))).rows);
}

/**
 * Reports blocks that were passed without a body because the operator allowed it (table skips), and marks that the balances
 * of every watched address are to be read again (readBalancesAgain): nothing else tells what these blocks did. They stay
 * `new`, so that nothing confirms them. Orphans are no part of it.
 */
async function writeSkipped(
  sql: Sql,
  { gid }: Pick<ChainContext, 'gid'>,
  hashes: readonly string[],
): Promise<void> {
  await sql.query({
    name: 'write_skipped_blocks',
    text: `WITH hole AS MATERIALIZED (
             SELECT b.number, b.hash, s.id, s.from_block, s.to_block FROM blocks b
             JOIN skips s ON s.chain_gid = b.chain_gid AND b.number BETWEEN s.from_block AND s.to_block
             WHERE b.chain_gid = $1 AND b.hash = ANY($2) AND b.status = 'new'),
           told AS (
             INSERT INTO incidents (chain_gid, kind, block_number, block_hash, last_block_number, expected, got)
             SELECT $1, 'skipped:' || from_block || '-' || to_block, min(number), (array_agg(hash ORDER BY number))[1], max(number),
               'a node that has the block', 'a block that no node has, skipped by the operator'
             FROM hole GROUP BY from_block, to_block ORDER BY from_block, to_block
             ON CONFLICT (chain_gid, kind) WHERE status = 'open' DO UPDATE
               SET last_block_number = GREATEST(incidents.last_block_number, EXCLUDED.last_block_number))
           UPDATE skips SET reread_after = '00000000-0000-0000-0000-000000000000', reread_asked_at = now()
           WHERE id IN (SELECT id FROM hole)`,
    values: [gid, hashes],
  });
}
