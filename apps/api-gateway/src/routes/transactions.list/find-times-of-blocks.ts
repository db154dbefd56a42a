import type { Sql } from '@chainwatch/db';
import type { Range } from '../../lists/count-on-scale.ts';
import { linesOfSteps } from '../../lists/lines-of-steps.ts';
import { transactionBlocks } from '../../lists/scales.ts';
import { listSetFilters } from './resolve-filters.ts';
import type { TransactionFilters } from './resolve-filters.ts';

/** What the key of `transactions.block` counts time in (migration list_levels). */
const SPAN_MS = 128 * 3_600_000;

/**
 * Between which times the transactions of a range of blocks were met, with some room. Without it a page in the order of
 * time would be looked for among all that came later. undefined: other filters are set, or nothing is known.
 */
export async function findTimesOfBlocks(
  sql: Sql,
  filters: TransactionFilters,
): Promise<Range<Date> | undefined> {
  const { projectId, blocks, chains } = filters;
  if (!blocks || !listSetFilters(filters).every((name) => name === 'blocks' || name === 'chains'))
    return undefined;
  const values: unknown[] = [projectId];
  const steps = {
    scope: projectId,
    list: transactionBlocks.list,
    from: blocks.from === undefined ? undefined : transactionBlocks.stepOf(blocks.from),
    to: blocks.to === undefined ? undefined : transactionBlocks.stepOf(blocks.to) + 1,
  };
  const { rows } = await sql.query<{ first: number | null; last: number | null }>(
    `SELECT min(key[2]::bigint) AS first, max(key[2]::bigint) AS last FROM (${linesOfSteps(steps, [chains], values)}) l`,
    values,
  );
  const { first, last } = rows[0]!;
  return first === null || last === null
    ? undefined
    : { from: new Date(first * SPAN_MS), to: new Date((last + 1) * SPAN_MS) };
}
