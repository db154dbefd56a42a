import type { Statement, Transaction } from '@chainwatch/db';
import { transactionIdOf } from '@chainwatch/events';
import { advanceAlone, advanceCursor, type Advance } from './advance-cursor.ts';
import type { ChainContext } from './chain-context.ts';
import { isHolding, type ChainCursor } from './chain-cursor.ts';
import { commitBlocks, type BlocksStep } from './commit-blocks.ts';
import { commitFinalize } from './commit-finalize.ts';
import { commitReorg } from './commit-reorg.ts';
import { confirmTransactions } from './confirm-transactions.ts';
import { closeMined, dropPending } from './drop-pending.ts';
import type { Settlement } from './pending-book.ts';
import type { OutboxEvent } from './planned-event.ts';
import { openStepSql, readOpened } from './read-existing.ts';
import type { Segment } from './take-segment.ts';
import { hasUnknowns, writeUnknowns } from './unknown/write-unknowns.ts';

export interface StepInput {
  readonly segment: Segment;
  readonly step: BlocksStep;
  readonly cursor: ChainCursor;
  readonly advance: Advance;
  /** What the segment's blocks mean for pending transactions. */
  readonly settlement: Settlement;
  readonly now: Date;
}

export interface StepResult {
  readonly events: readonly OutboxEvent[];
  /** Events held until now were let go. */
  readonly isReleased: boolean;
}

/** The atomic step (architecture.md, invariant 3): everything of a segment and the cursor in one database transaction. */
export async function runStep(chain: ChainContext, input: StepInput): Promise<StepResult> {
  const { segment, step, advance, settlement } = input;
  const isReleased = isHolding(input.cursor) && !isHolding(advance.cursor);
  const isSettling = settlement.mined.length > 0 || settlement.dropped.length > 0;
  if (
    !hasWrites(step) &&
    segment.orphans.length === 0 &&
    segment.finalize === undefined &&
    !isReleased &&
    !isSettling
  ) {
    await advanceAlone(chain, advance);
    return { events: [], isReleased };
  }
  const opening = openingOf(chain, step);
  const events = await chain.share.transaction(
    (sql, opened) => writeStep(sql, chain, input, opening, opened, isReleased),
    { opening, keepsPlans: true },
  );
  return { events, isReleased };
}

/** What is locked and read before a step writes. */
export function openingOf(chain: ChainContext, step: BlocksStep): Statement {
  const matches = [...step.late, ...step.matches];
  const ids = matches.map(({ projectId, transaction }) =>
    transactionIdOf(projectId, chain.gid, transaction.hash),
  );
  return openStepSql(chain, ids, [...new Set(matches.map(({ projectId }) => projectId))]);
}

function hasWrites({ blocks, matches, late, reads, utxos }: BlocksStep): boolean {
  return (
    matches.length > 0 ||
    late.length > 0 ||
    reads.length > 0 ||
    utxos?.isEmpty === false ||
    blocks.some(hasUnknowns)
  );
}

/** Writes a step in a transaction that `opening` opened. */
export async function writeStep(
  sql: Transaction,
  chain: ChainContext,
  input: StepInput,
  opening: Statement,
  opened: readonly unknown[],
  isReleased: boolean,
): Promise<OutboxEvent[]> {
  const { segment, step, advance, settlement, cursor, now } = input;
  const events: OutboxEvent[] = [];
  let existing = readOpened(opened);
  // Releasing comes first, so that what was held is published before what this step adds.
  if (isReleased)
    await sql.query('UPDATE events SET is_held = false WHERE chain_gid = $1 AND is_held', [chain.gid]);
  const headNumber = advance.cursor.number ?? 0;
  if (settlement.dropped.length > 0) {
    events.push(
      ...(await dropPending(sql, chain, settlement.dropped, {
        headNumber,
        isHeld: isHolding(advance.cursor),
        now,
      })),
    );
    existing = readOpened((await sql.query(opening)).rows);
  }
  if (hasWrites(step)) events.push(...(await commitBlocks(sql, chain, step, existing, advance, now)));
  else await advanceCursor(sql, chain, advance);
  await writeUnknowns(sql, chain, step.blocks, [...step.late, ...step.matches]);
  await closeMined(sql, chain.gid, settlement.mined);
  if (segment.orphans.length > 0)
    events.push(...(await commitReorg(sql, chain, segment.orphans, advance.cursor, now)));
  const finalNumber = Math.min(cursor.confirmedNumber ?? -1, advance.cursor.confirmedNumber ?? -1);
  if (step.late.length > 0 && finalNumber >= 0) {
    // What was found late may be final already; no entry of the feed will say so again.
    const options = {
      headNumber: advance.cursor.number ?? finalNumber,
      isHeld: isHolding(advance.cursor),
      now,
    };
    events.push(...(await confirmTransactions(sql, chain, { number: finalNumber }, options)));
  }
  if (segment.finalize !== undefined) {
    events.push(
      ...(await commitFinalize(sql, chain, {
        entry: segment.finalize,
        after: cursor.confirmedNumber,
        cursor: advance.cursor,
        now,
      })),
    );
  }
  return events;
}
