import type { Statement } from '@chainwatch/db';
import { transactionIdOf } from '@chainwatch/events';
import { advanceAlone, advanceCursor, type Advance } from './advance-cursor.ts';
import type { ChainContext, StepTransaction } from '../model/chain-context.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import { commitBlocks } from './commit-blocks.ts';
import type { BlocksStep } from '../model/blocks-step.ts';
import { commitFinalize, lockStepSql } from './commit-finalize.ts';
import { commitReorg } from './commit-reorg.ts';
import { confirmTransactions } from './confirm-transactions.ts';
import { closeMined, dropPending } from './drop-pending.ts';
import type { PendingOutcome } from '../model/pending-outcome.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { openStepSql, readOpened } from './read-existing.ts';
import type { Segment } from '../model/segment.ts';
import { hasUnknowns, writeUnknowns } from './write-unknowns.ts';

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
    !hasOutcome
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

/** What is locked and read before a step writes. */
function openingOf(chain: ChainContext, step: BlocksStep): Statement {
  const matches = [...step.retroactive, ...step.matches];
  const ids = matches.map(({ projectId, transaction }) =>
    transactionIdOf(projectId, chain.gid, transaction.hash),
  );
  const projectIds = [...new Set(matches.map(({ projectId }) => projectId))];
  return openStepSql(chain, { ids, counted: projectIds, projectIds });
}

function hasWrites({ blocks, matches, retroactive, reads, utxos }: BlocksStep): boolean {
  return (
    matches.length > 0 ||
    retroactive.length > 0 ||
    reads.length > 0 ||
    utxos?.isEmpty === false ||
    blocks.some(hasUnknowns)
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
  const events: OutboxEvent[] = [];
  let existing = readOpened(opened ?? (await sql.query(opening)).rows);
  // Held events are released first, so that they are published before the events of this step.
  if (isReleased)
    await sql.query('UPDATE event_log SET is_held = false WHERE chain_gid = $1 AND is_held', [chain.gid]);
  const headNumber = advance.cursor.number ?? 0;
  if (outcome.dropped.length > 0) {
    events.push(
      ...(await dropPending(sql, chain, outcome.dropped, {
        headNumber,
        isHeld: isHolding(advance.cursor),
        now,
      })),
    );
    existing = readOpened((await sql.query(opening)).rows);
  }
  const final =
    segment.finalize === undefined ? undefined : { entry: segment.finalize, after: cursor.confirmedNumber };
  if (final !== undefined && segment.blocks.length > 0)
    sql.send(lockStepSql(chain, final, advance.processedHashes));
  if (hasWrites(step)) events.push(...(await commitBlocks(transaction, { step, existing, advance })));
  else await advanceCursor(sql, chain, advance);
  await writeUnknowns(sql, chain, step.blocks, [...step.retroactive, ...step.matches]);
  await closeMined(sql, chain.gid, outcome.mined);
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
    events.push(...(await confirmTransactions(sql, chain, { number: finalNumber }, options)));
  }
  if (final !== undefined)
    events.push(...(await commitFinalize(sql, chain, { ...final, cursor: advance.cursor, now })));
  return events;
}
