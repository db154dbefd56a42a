import type { Sql } from '@chainwatch/db';
import { readExplained, type Span } from './read-explained.ts';
import type { Target } from '../read/target.ts';

/** Late transactions are in the few blocks that passed while the address was being registered. */
const READINGS_MAX = 32;

/** The difference between two earlier readings, computed again because more transactions are known now. */
export interface Correction {
  readonly target: Span['target'];
  readonly adjustmentRaw: bigint;
  readonly after: number;
  readonly block: { readonly number: number; readonly hash: string };
}

interface Row {
  readonly position: number;
  readonly amount_raw: string;
  readonly block_number: number;
  readonly block_hash: string;
}

/** The adjustments between the last readings of each target, computed again. */
export async function readRetroactiveCorrections(
  sql: Sql,
  chainGid: string,
  targets: readonly Target[],
): Promise<Correction[]> {
  if (targets.length === 0) return [];
  const { rows } = await sql.query<Row>(
    `SELECT t.position, h.* FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS t (address_id, asset_gid, position)
     CROSS JOIN LATERAL (
       SELECT amount_raw, block_number, block_hash FROM balance_history
       WHERE address_id = t.address_id AND asset_gid = t.asset_gid ORDER BY block_number DESC LIMIT ${READINGS_MAX}
     ) h ORDER BY t.position, h.block_number`,
    [targets.map((target) => target.addressId), targets.map((target) => target.assetGid)],
  );
  const pairs = rows.flatMap((row, index) => {
    const before = rows[index - 1];
    return before?.position === row.position ? [{ before, row }] : [];
  });
  const spans = pairs.map(({ before, row }) => ({
    target: targets[row.position - 1]!,
    after: before.block_number,
    until: row.block_number,
  }));
  const explained = await readExplained(sql, chainGid, spans);
  return pairs.map(({ before, row }, index) => ({
    target: spans[index]!.target,
    adjustmentRaw: BigInt(row.amount_raw) - BigInt(before.amount_raw) - explained[index]!,
    after: before.block_number,
    block: { number: row.block_number, hash: row.block_hash },
  }));
}
