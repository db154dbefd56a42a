// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import type { BlockMark } from './statement-lines.ts';

/** Clocks of miners differ, so times of Bitcoin's blocks go back by up to two hours: so many blocks are looked at. */
const LOOK_BACK = 144;

interface BlockRange {
  readonly chainGid: string;
  readonly low: number;
  readonly high: number;
}

/**
 * The first block of a range whose time is the moment or later. Undefined: all are earlier. The number is found by halving,
 * then blocks just below are looked at, because times of blocks need not ascend.
 */
export async function findBlockAt(sql: Sql, range: BlockRange, moment: Date): Promise<BlockMark | undefined> {
  let { low, high } = range;
  let found: BlockMark | undefined;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const block = await readFirst(sql, { ...range, low: middle, high }, undefined);
    if (block === undefined || timeOf(block) >= moment.getTime()) {
      found = block ?? found;
      high = middle - 1;
    } else low = block.number + 1;
  }
  if (found === undefined) return undefined;
  const below = { ...range, low: Math.max(range.low, found.number - LOOK_BACK), high: found.number - 1 };
  return (await readFirst(sql, below, moment)) ?? found;
}

/** The last block below a number, with a time. */
export async function findBlockBelow(
  sql: Sql,
  chainGid: string,
  number: number,
): Promise<BlockMark | undefined> {
  const { rows } = await sql.query<Row>(
    `SELECT number, hash, block_timestamp FROM last_canonical_block($1, $2)`,
    [chainGid, number - 1],
  );
  return rows[0] && toMark(rows[0]);
}

interface Row {
  readonly number: number;
  readonly hash: string;
  readonly block_timestamp: Date | null;
}

async function readFirst(
  sql: Sql,
  { chainGid, low, high }: BlockRange,
  since: Date | undefined,
): Promise<BlockMark | undefined> {
  if (low > high) return undefined;
  const { rows } = await sql.query<Row>(
    `SELECT number, hash, block_timestamp FROM canonical_blocks($1, $2, $3, $4)
     WHERE block_timestamp IS NOT NULL AND ($5::timestamptz IS NULL OR block_timestamp >= $5) ORDER BY number LIMIT 1`,
    [chainGid, low, high, since === undefined ? 16 : LOOK_BACK, since ?? null],
  );
  return rows[0] && toMark(rows[0]);
}

function toMark({ number, hash, block_timestamp: time }: Row): BlockMark {
  return { number, hash, time: time?.toISOString() ?? null };
}

const timeOf = ({ time }: BlockMark): number => Date.parse(time ?? '');
