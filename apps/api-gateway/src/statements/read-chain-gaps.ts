// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { gapOf, type GapLine } from './statement-lines.ts';

/** Heights that are counted in one statement. */
const HEIGHTS_AT_ONCE = 65_536;
/** Ranges of one kind that are listed; what is behind them is one range, up to the end of the span. */
const RANGES_MAX = 1_000;

const BEHIND = `what is behind ${RANGES_MAX.toLocaleString('en')} others is one gap`;

interface BlockSpan {
  readonly chainGid: string;
  readonly projectId: string;
  readonly low: number;
  readonly high: number;
  readonly finalNumber: number;
}

interface ChainDetails {
  readonly count: number;
  readonly verification: Readonly<Record<string, number>>;
  readonly gaps: readonly GapLine[];
}

/** Counts the blocks of a span, and lists what is not known or not proved of them. */
export async function readChainGaps(sql: Sql, span: BlockSpan): Promise<ChainDetails> {
  const { chainGid, low, high, finalNumber } = span;
  const verification: Record<string, number> = {};
  let missing: readonly Range[] = [];
  let count = 0;
  for (let first = low; first <= high; first += HEIGHTS_AT_ONCE) {
    const page = { ...span, low: first, high: Math.min(high, first + HEIGHTS_AT_ONCE - 1) };
    const counts = await countBlocks(sql, page);
    for (const { name, blocks } of counts.filter(({ name: each }) => each !== 'skipped')) {
      verification[name] = (verification[name] ?? 0) + blocks;
      count += blocks;
    }
    const known = counts.reduce((total, { blocks }) => total + blocks, 0);
    if (known < page.high - page.low + 1 && missing.length <= RANGES_MAX)
      missing = joinRanges([...missing, ...(await findMissing(sql, page))]);
  }
  const gaps: GapLine[] = [];
  const add = (kind: GapLine['kind'], reason: string, ranges: readonly Range[]): void => {
    const behind = ranges[RANGES_MAX];
    for (const range of ranges.slice(0, RANGES_MAX))
      gaps.push(gapOf({ kind, chain_gid: chainGid, reason, ...range }));
    if (behind !== undefined)
      gaps.push(
        gapOf({
          ...{ kind, chain_gid: chainGid, from_block: behind.from_block, to_block: high },
          reason: `${reason} (some or all of them: ${BEHIND})`,
        }),
      );
  };
  add('missing_blocks', 'these blocks are not stored', missing);
  add(
    'unproved_blocks',
    'nothing proves the list of transactions of these blocks: payments may be missing or false',
    await findRows(sql, span, `verification = 'unproved'`),
  );
  add(
    'unproved_blocks',
    'the evidence for these blocks has not followed yet',
    await findRows(sql, span, `verification = 'settling'`),
  );
  add('not_analysed', 'these blocks are not analysed', await findRows(sql, span, `status = 'new'`));
  if (high > finalNumber)
    add('not_final', 'these blocks are not final: a reorganization may take them away', [
      { from_block: Math.max(low, finalNumber + 1), to_block: high },
    ]);
  add(
    'skipped_blocks',
    'the operator skipped the bodies of these blocks, which no node has',
    await findSkips(sql, span),
  );
  return { count, verification, gaps: [...gaps, ...(await findIncidents(sql, span))] };
}

interface Range {
  readonly from_block: number;
  readonly to_block: number;
}

/** `skipped` are heights without a block. */
async function countBlocks(
  sql: Sql,
  { chainGid, low, high }: BlockSpan,
): Promise<readonly { readonly name: string; readonly blocks: number }[]> {
  const { rows } = await sql.query<{ name: string; blocks: number }>(
    `SELECT CASE status WHEN 'skipped' THEN 'skipped' ELSE coalesce(verification, 'unknown') END AS name, count(*) AS blocks FROM (
       SELECT status, verification FROM blocks WHERE chain_gid = $1 AND number BETWEEN $2 AND $3 AND (status = 'skipped' OR (status <> 'reorged' AND hash IS NOT NULL))
       UNION ALL SELECT status, verification FROM packed_blocks($1, $2, $3)) b GROUP BY 1`,
    [chainGid, low, high],
  );
  return rows;
}

async function findMissing(sql: Sql, { chainGid, low, high }: BlockSpan): Promise<readonly Range[]> {
  const { rows } = await sql.query<Range>(
    `SELECT before + 1 AS from_block, number - 1 AS to_block FROM (
       SELECT number, lag(number, 1, $2 - 1) OVER (ORDER BY number) AS before FROM (
         SELECT number FROM blocks WHERE chain_gid = $1 AND number BETWEEN $2 AND $3 AND (status = 'skipped' OR (status <> 'reorged' AND hash IS NOT NULL))
         UNION ALL SELECT number FROM packed_blocks($1, $2, $3)
         UNION ALL SELECT $3 + 1) n) r
     WHERE number > before + 1 ORDER BY 1 LIMIT ${RANGES_MAX + 1}`,
    [chainGid, low, high],
  );
  return rows;
}

/** Of neighboring pages. */
function joinRanges(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const range of ranges) {
    const before = joined.at(-1);
    if (before !== undefined && before.to_block + 1 === range.from_block)
      joined[joined.length - 1] = { ...before, to_block: range.to_block };
    else joined.push(range);
  }
  return joined;
}

/** Rows of blocks for which a condition holds, as ranges. None of them is packed. */
async function findRows(
  sql: Sql,
  { chainGid, low, high }: BlockSpan,
  condition: string,
): Promise<readonly Range[]> {
  const { rows } = await sql.query<Range>(
    `SELECT min(number) AS from_block, max(number) AS to_block FROM (
       SELECT number, number - row_number() OVER (ORDER BY number) AS island
       FROM blocks WHERE chain_gid = $1 AND number BETWEEN $2 AND $3 AND status <> 'reorged' AND ${condition}) b
     GROUP BY island ORDER BY 1 LIMIT ${RANGES_MAX + 1}`,
    [chainGid, low, high],
  );
  return rows;
}

async function findSkips(sql: Sql, { chainGid, low, high }: BlockSpan): Promise<readonly Range[]> {
  const { rows } = await sql.query<Range>(
    `SELECT greatest(from_block, $2) AS from_block, least(to_block, $3) AS to_block FROM skips
     WHERE chain_gid = $1 AND from_block <= $3 AND to_block >= $2 ORDER BY 1 LIMIT ${RANGES_MAX + 1}`,
    [chainGid, low, high],
  );
  return rows;
}

interface IncidentRow {
  readonly kind: string;
  readonly first: number;
  readonly last: number;
  readonly expected: string;
  readonly got: string;
  readonly asset_gid: string | null;
  readonly display: string | null;
}

/** Those of the chain and of the project. What concerns other projects, or names events of several, is not told. */
async function findIncidents(
  sql: Sql,
  { chainGid, projectId, low, high }: BlockSpan,
): Promise<readonly GapLine[]> {
  const { rows } = await sql.query<IncidentRow>(
    `SELECT i.kind, i.block_number AS first, coalesce(i.last_block_number, i.block_number) AS last, i.expected, i.got, i.asset_gid, a.display
     FROM incidents i LEFT JOIN addresses a ON a.id = i.address_id AND a.project_id = $2
     WHERE i.chain_gid = $1 AND i.status IN ('open', 'quarantined') AND (i.project_id IS NULL OR i.project_id = $2) AND i.kind NOT LIKE 'decimals:%'
       AND i.block_number <= $4 AND (i.status = 'quarantined' OR coalesce(i.last_block_number, i.block_number) >= $3)
     ORDER BY i.block_number, i.id LIMIT ${RANGES_MAX + 1}`,
    [chainGid, projectId, low, high],
  );
  const gaps = rows.slice(0, RANGES_MAX).map((row) =>
    gapOf({
      ...{ kind: 'incident', chain_gid: chainGid, address: row.display, asset_gid: row.asset_gid },
      from_block: Math.max(low, row.first),
      to_block: Math.min(high, Math.max(row.last, low)),
      reason: `open incident ${row.kind}: expected ${row.expected}, got ${row.got}`,
    }),
  );
  const behind = rows[RANGES_MAX];
  if (behind !== undefined)
    gaps.push(
      gapOf({
        ...{ kind: 'incident', chain_gid: chainGid },
        ...{ from_block: Math.max(low, behind.first), to_block: high },
        reason: `open incidents (${BEHIND})`,
      }),
    );
  return gaps;
}
