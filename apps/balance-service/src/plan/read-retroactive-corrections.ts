// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { readExplained, type ExplainedChain, type Span } from './read-explained.ts';
import { addSums, decodeSums, subtractSums, totalOf, type Sums } from './sums.ts';
import type { Target } from '../read/target.ts';

/** Late transactions are mostly in the few blocks that passed while the address was being registered. */
const READINGS_MAX = 32;
/** Those that history or another release finds later explain what was adjusted, also long ago. */
const ADJUSTED_MAX = 64;

/** The difference between two earlier readings, computed again because more transactions are known now. */
export interface Correction {
  readonly target: Span['target'];
  readonly adjustmentRaw: bigint;
  readonly after: number;
  readonly block: { readonly number: number; readonly hash: string };
  /** What moved the balance by one reason more, and by another one less, than was counted. Adds up to zero. */
  readonly shift: Sums;
}

interface Row {
  readonly position: number;
  readonly amount_raw: string;
  readonly block_number: number;
  readonly block_hash: string;
  /** Of the reading before. */
  readonly before_raw: string;
  readonly before_number: number;
  readonly sums: Readonly<Record<string, string>> | null;
  readonly before_sums: Readonly<Record<string, string>> | null;
}

/** The adjustments between the last readings of each target, and those that it has already, computed again. */
export async function readRetroactiveCorrections(
  sql: Sql,
  chain: ExplainedChain,
  targets: readonly Target[],
): Promise<Correction[]> {
  if (targets.length === 0) return [];
  const { rows } = await sql.query<Row>(
    `SELECT t.position, h.*, b.amount_raw AS before_raw, b.block_number AS before_number, b.sums AS before_sums
     FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS t (address_id, asset_gid, position)
     CROSS JOIN LATERAL (
       (SELECT amount_raw, block_number, block_hash, sums FROM balance_history
        WHERE address_id = t.address_id AND asset_gid = t.asset_gid ORDER BY block_number DESC LIMIT ${READINGS_MAX})
       UNION
       (SELECT r.amount_raw, r.block_number, r.block_hash, r.sums FROM adjustments j
        JOIN balance_history r ON r.address_id = j.address_id AND r.asset_gid = j.asset_gid AND r.block_number = j.block_number AND r.block_hash = j.block_hash
        WHERE j.address_id = t.address_id AND j.asset_gid = t.asset_gid ORDER BY j.block_number DESC LIMIT ${ADJUSTED_MAX})
     ) h
     CROSS JOIN LATERAL (
       SELECT amount_raw, block_number, sums FROM balance_history
       WHERE address_id = t.address_id AND asset_gid = t.asset_gid AND block_number < h.block_number ORDER BY block_number DESC LIMIT 1
     ) b ORDER BY t.position, h.block_number`,
    [targets.map((target) => target.addressId), targets.map((target) => target.assetGid)],
  );
  const spans = rows.map((row) => ({
    target: targets[row.position - 1]!,
    after: row.before_number,
    until: row.block_number,
  }));
  const explained = await readExplained(sql, chain, spans);
  return rows.map((row, index) => {
    const { sums } = explained[index]!;
    const adjustmentRaw = BigInt(row.amount_raw) - BigInt(row.before_raw) - totalOf(sums);
    return {
      target: spans[index]!.target,
      adjustmentRaw,
      after: row.before_number,
      block: { number: row.block_number, hash: row.block_hash },
      shift: shiftOf(row, addSums(sums, { adjustment: adjustmentRaw })),
    };
  });
}

/** Nothing where the release before counted nothing. */
function shiftOf(row: Row, sums: Sums): Sums {
  const [counted, before] = [decodeSums(row.sums), decodeSums(row.before_sums)];
  return counted === undefined || before === undefined
    ? {}
    : subtractSums(sums, subtractSums(counted, before));
}
