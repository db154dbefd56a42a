import type { Sql } from '@chainwatch/db';
import type { ChainCursor } from '../model/chain-cursor.ts';
import type { Segment } from '../model/segment.ts';

/**
 * The cursor after the segment. `ancestorNumber`: the block that its orphans stand on; when there is none no block
 * is left, and the next block is a first one, whatever its parent.
 */
export function nextCursor(cursor: ChainCursor, segment: Segment, ancestorNumber?: number): ChainCursor {
  const lastSeq = segment.entries.at(-1)?.seq ?? cursor.seq;
  const lastOrphan = segment.orphans.at(-1);
  if (lastOrphan !== undefined) {
    const resumeSeqs = [cursor.holdUntilSeq, ...segment.orphans.map((orphan) => orphan.resumeSeq)].filter(
      (seq) => seq !== undefined,
    );
    const holding = resumeSeqs.length === 0 ? {} : { holdUntilSeq: Math.max(...resumeSeqs) };
    if (ancestorNumber === undefined) return { seq: lastSeq, ...holding };
    return {
      seq: lastSeq,
      number: ancestorNumber,
      hash: lastOrphan.parentHash,
      ...(cursor.confirmedNumber === undefined
        ? {}
        : { confirmedNumber: Math.min(cursor.confirmedNumber, ancestorNumber) }),
      ...holding,
    };
  }
  const tip = segment.blocks.at(-1)?.entry;
  const confirmedNumber = Math.max(cursor.confirmedNumber ?? -1, segment.finalize?.number ?? -1);
  return {
    ...cursor,
    seq: lastSeq,
    ...(tip === undefined ? {} : { number: tip.number, hash: tip.hash }),
    ...(confirmedNumber < 0 ? {} : { confirmedNumber }),
  };
}

/**
 * The number of the block that the orphans of a segment stand on. It need not be one below them, because chains
 * skip numbers. Undefined without orphans, and when they reach below every block that was followed: then their
 * parent was never a block of ours.
 */
export async function findAncestorNumber(
  sql: Sql,
  chainGid: string,
  { orphans }: Pick<Segment, 'orphans'>,
): Promise<number | undefined> {
  const last = orphans.at(-1);
  if (last === undefined) return undefined;
  const { rows } = await sql.query<{ number: number }>(
    'SELECT number FROM blocks WHERE chain_gid = $1 AND hash = $2',
    [chainGid, last.parentHash],
  );
  return rows[0]?.number;
}
