// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { ChangeReason } from '@chainwatch/events';
import type { BalanceVerification } from '../read/balance-reader.ts';
import { addSums, type Sums } from './sums.ts';
import type { Target } from '../read/target.ts';

/** A piece of a balance's history: the blocks after `after` up to `until`. */
export interface Span {
  readonly target: Pick<Target, 'addressId' | 'projectId' | 'address' | 'assetGid'>;
  readonly after: number;
  readonly until: number;
}

/**
 * Up to this length the project's transactions in the span's blocks are read; for a longer span the planner chooses
 * by the address and asset.
 */
const NEAR_BLOCKS = 16;

/** Of a transaction `x`. What is `settling` counts: its evidence follows at once, or undoes it. */
const IS_UNPROVED = `x.verification IS NOT DISTINCT FROM 'unproved'`;
/** Of a row `c` of block_changes: what its block's own header proves is proved while the rest is `settling`. */
const IS_OF_UNPROVED = `EXISTS (SELECT FROM blocks b WHERE b.chain_gid = c.chain_gid AND b.hash = c.block_hash AND b.verification = 'unproved')`;

/** What is known to have moved a balance in a span. */
export interface Explained {
  readonly sums: Sums;
  /** Whether anything unproved is told of the span, which a reading may show as well. */
  readonly isDoubted: boolean;
}

const NOTHING: Explained = { sums: {}, isDoubted: false };

/** A chain, and what stands behind the readings of its balances. */
export interface ExplainedChain {
  readonly gid: string;
  readonly verification: BalanceVerification;
}

/**
 * What transfers and fees of canonical transactions, and blocks without one, moved in each span, in the order of `spans`.
 * What is unproved explains nothing where proved coins are summed, for it is in no sum. Where a node states the balance, a
 * transaction that is unproved may be in it; a block's word about what no transaction tells is not believed.
 */
export async function readExplained(
  sql: Sql,
  { gid: chainGid, verification }: ExplainedChain,
  spans: readonly Span[],
): Promise<Explained[]> {
  const moved = new Map<Span, Explained>();
  const toExplained = (rows: readonly Row[]): Explained => explain(rows, verification);
  const open = spans.filter((span) => span.after < span.until);
  const near = open.filter((span) => span.until - span.after <= NEAR_BLOCKS);
  for (const [position, rows] of (await readNear(sql, chainGid, near)).entries())
    moved.set(near[position]!, toExplained(rows));
  for (const span of open)
    if (!moved.has(span)) moved.set(span, toExplained(await readFar(sql, chainGid, span)));
  return spans.map((span) => moved.get(span) ?? NOTHING);
}

interface Row {
  readonly reason: ChangeReason;
  readonly sum: string | null;
  readonly is_unproved: boolean;
}

async function readNear(sql: Sql, chainGid: string, spans: readonly Span[]): Promise<Row[][]> {
  if (spans.length === 0) return [];
  const { rows } = await sql.query<Row & { position: number }>({
    name: 'read_explained',
    // OFFSET 0 and the scalar look-up keep the planner from reading the whole history of an address.
    text: `SELECT t.position::integer, e.reason, e.is_unproved, sum(e.moved) AS sum
     FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) WITH ORDINALITY
       AS t (address_id, project_id, address, asset_gid, after, until, position)
     CROSS JOIN LATERAL (
       SELECT m.reason, m.moved, x.is_unproved FROM (
         SELECT x.id, x.fee_payer, x.fee_asset_gid, x.fee_amount_raw, ${IS_UNPROVED} AS is_unproved FROM transactions x
         WHERE x.project_id = t.project_id AND x.chain_gid = $1 AND x.block_number > t.after AND x.block_number <= t.until AND x.status <> 'reorged' OFFSET 0
       ) x
       CROSS JOIN LATERAL (
         SELECT 'transfer' AS reason, CASE WHEN f.to_address = t.address THEN f.amount_raw ELSE 0 END - CASE WHEN f.from_address = t.address THEN f.amount_raw ELSE 0 END AS moved
           FROM transfers f WHERE f.transaction_id = x.id AND f.asset_gid = t.asset_gid
         UNION ALL
         SELECT 'fee', -x.fee_amount_raw WHERE x.fee_payer = t.address AND x.fee_asset_gid = t.asset_gid
       ) m
       WHERE (SELECT true FROM transaction_addresses ta WHERE ta.address_id = t.address_id AND ta.transaction_id = x.id)
       UNION ALL
       SELECT c.reason, c.amount_raw, ${IS_OF_UNPROVED} FROM block_changes c
       WHERE c.address_id = t.address_id AND c.asset_gid = t.asset_gid AND c.block_number > t.after AND c.block_number <= t.until
     ) e GROUP BY t.position, e.reason, e.is_unproved`,
    values: [
      chainGid,
      spans.map(({ target }) => target.addressId),
      spans.map(({ target }) => target.projectId),
      spans.map(({ target }) => target.address),
      spans.map(({ target }) => target.assetGid),
      spans.map((span) => span.after),
      spans.map((span) => span.until),
    ],
  });
  const bySpan = spans.map((): Row[] => []);
  for (const row of rows) bySpan[row.position - 1]!.push(row);
  return bySpan;
}

/**
 * Planned with the actual values: a busy address is looked up by its asset or its blocks, a quiet one by itself.
 * Runs in a transaction, because the setting is local to it.
 */
async function readFar(sql: Sql, chainGid: string, { target, after, until }: Span): Promise<Row[]> {
  await sql.query('SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on');
  const { rows } = await sql.query<Row>(
    `WITH mine AS (
       SELECT x.id, x.fee_payer, x.fee_asset_gid, x.fee_amount_raw, ${IS_UNPROVED} AS is_unproved FROM transactions x JOIN transaction_addresses ta ON ta.transaction_id = x.id
       WHERE ta.address_id = $1 AND x.project_id = $2 AND x.chain_gid = $5 AND x.block_number > $6 AND x.block_number <= $7 AND x.status <> 'reorged'
     )
     SELECT 'transfer' AS reason, sum(CASE WHEN f.to_address = $3 THEN f.amount_raw ELSE 0 END - CASE WHEN f.from_address = $3 THEN f.amount_raw ELSE 0 END) AS sum, x.is_unproved
       FROM mine x JOIN transfers f ON f.transaction_id = x.id WHERE f.project_id = $2 AND f.asset_gid = $4 GROUP BY x.is_unproved
     UNION ALL
     SELECT 'fee', -sum(fee_amount_raw), is_unproved FROM mine WHERE fee_payer = $3 AND fee_asset_gid = $4 GROUP BY is_unproved
     UNION ALL
     SELECT c.reason, sum(c.amount_raw), ${IS_OF_UNPROVED} FROM block_changes c
       WHERE c.address_id = $1 AND c.asset_gid = $4 AND c.block_number > $6 AND c.block_number <= $7 GROUP BY 1, 3`,
    [target.addressId, target.projectId, target.address, target.assetGid, chainGid, after, until],
  );
  return rows;
}

function explain(rows: readonly Row[], verification: BalanceVerification): Explained {
  const moving = rows.filter(({ sum }) => sum !== null && sum !== '0');
  const isBelieved = ({ reason, is_unproved: isUnproved }: Row): boolean =>
    !isUnproved || (verification !== 'proved' && (reason === 'transfer' || reason === 'fee'));
  return {
    sums: moving
      .filter(isBelieved)
      .map(({ reason, sum }): Sums => ({ [reason]: BigInt(sum ?? 0) }))
      .reduce(addSums, {}),
    isDoubted: moving.some((row) => row.is_unproved),
  };
}
