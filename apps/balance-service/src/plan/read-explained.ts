import type { Sql } from '@chainwatch/db';
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

/** What transfers and fees of canonical transactions moved in each span, base units, in the order of `spans`. */
export async function readExplained(sql: Sql, chainGid: string, spans: readonly Span[]): Promise<bigint[]> {
  const moved = new Map<Span, bigint>();
  const open = spans.filter((span) => span.after < span.until);
  const near = open.filter((span) => span.until - span.after <= NEAR_BLOCKS);
  for (const [position, sum] of (await readNear(sql, chainGid, near)).entries())
    moved.set(near[position]!, sum);
  for (const span of open) if (!moved.has(span)) moved.set(span, await readFar(sql, chainGid, span));
  return spans.map((span) => moved.get(span) ?? 0n);
}

async function readNear(sql: Sql, chainGid: string, spans: readonly Span[]): Promise<bigint[]> {
  if (spans.length === 0) return [];
  const { rows } = await sql.query<{ sum: string | null }>({
    name: 'read_explained',
    // OFFSET 0 and the scalar look-up keep the planner from reading the whole history of an address.
    text: `SELECT e.sum FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) WITH ORDINALITY
       AS t (address_id, project_id, address, asset_gid, after, until, position)
     CROSS JOIN LATERAL (
       SELECT sum(m.moved) AS sum FROM (
         SELECT x.id, x.fee_payer, x.fee_asset_gid, x.fee_amount_raw FROM transactions x
         WHERE x.project_id = t.project_id AND x.chain_gid = $1 AND x.block_number > t.after AND x.block_number <= t.until AND x.status <> 'reorged' OFFSET 0
       ) x
       CROSS JOIN LATERAL (
         SELECT CASE WHEN f.to_address = t.address THEN f.amount_raw ELSE 0 END - CASE WHEN f.from_address = t.address THEN f.amount_raw ELSE 0 END AS moved
           FROM transfers f WHERE f.transaction_id = x.id AND f.asset_gid = t.asset_gid
         UNION ALL
         SELECT -x.fee_amount_raw WHERE x.fee_payer = t.address AND x.fee_asset_gid = t.asset_gid
       ) m
       WHERE (SELECT true FROM transaction_addresses ta WHERE ta.address_id = t.address_id AND ta.transaction_id = x.id)
     ) e ORDER BY t.position`,
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
  return rows.map((row) => BigInt(row.sum ?? '0'));
}

/**
 * Planned with the actual values: a busy address is looked up by its asset or its blocks, a quiet one by itself.
 * Runs in a transaction, because the setting is local to it.
 */
async function readFar(sql: Sql, chainGid: string, { target, after, until }: Span): Promise<bigint> {
  await sql.query('SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on');
  const { rows } = await sql.query<{ sum: string | null }>(
    `WITH mine AS (
       SELECT x.id, x.fee_payer, x.fee_asset_gid, x.fee_amount_raw FROM transactions x JOIN transaction_addresses ta ON ta.transaction_id = x.id
       WHERE ta.address_id = $1 AND x.project_id = $2 AND x.chain_gid = $5 AND x.block_number > $6 AND x.block_number <= $7 AND x.status <> 'reorged'
     )
     SELECT (SELECT coalesce(sum(CASE WHEN f.to_address = $3 THEN f.amount_raw ELSE 0 END - CASE WHEN f.from_address = $3 THEN f.amount_raw ELSE 0 END), 0)
               FROM mine x JOIN transfers f ON f.transaction_id = x.id WHERE f.project_id = $2 AND f.asset_gid = $4)
          - (SELECT coalesce(sum(fee_amount_raw), 0) FROM mine WHERE fee_payer = $3 AND fee_asset_gid = $4) AS sum`,
    [target.addressId, target.projectId, target.address, target.assetGid, chainGid, after, until],
  );
  return BigInt(rows[0]?.sum ?? '0');
}
