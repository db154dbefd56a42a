// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Network } from '@chainwatch/chain-core';
import type { RoundPosition, Sql } from '@chainwatch/data/db';
import { holdingOf, refOf, type HoldingRow, type Target } from '../read/target.ts';
import { IS_READABLE, IS_SET_ASIDE, SUSPECTED_ASSETS } from '../work/read-work.ts';

/** A balance that a round reads at the analyzer's cursor. */
export interface RoundTarget extends Target {
  /** The block of an earlier reading that showed no difference: whatever is different now came after it. */
  readonly since: number | undefined;
  /** Of an asset that was never seen on the address: the block of an earlier reading, when it was zero. */
  readonly base: BlockRef | undefined;
}

/** What a round reads at once. */
export interface Page {
  readonly targets: readonly RoundTarget[];
  /** The last address of the page, and whether more follow. */
  readonly after: RoundPosition['after'];
  readonly isLast: boolean;
}

interface AddressRow {
  readonly id: string;
  readonly address: string;
}

interface TargetRow extends HoldingRow {
  readonly is_suspected: boolean;
  readonly since_number: number | null;
  readonly base_number: number | null;
  readonly base_hash: string | null;
}

/** The balances of the next addresses of the round. @param addressesMax at least 1 */
export async function readPage(
  sql: Sql,
  network: Network,
  { after, addressesMax }: { readonly after: RoundPosition['after']; readonly addressesMax: number },
): Promise<Page> {
  const { rows } = await sql.query<AddressRow>({
    name: 'read_round_addresses',
    text: `SELECT id, address FROM addresses WHERE chain_family = $1 AND address >= $2 AND (address > $2 OR id > $3)
           ORDER BY address, id LIMIT $4`,
    values: [
      network.family,
      after?.address ?? '',
      after?.id ?? '00000000-0000-0000-0000-000000000000',
      addressesMax,
    ],
  });
  const last = rows.at(-1);
  return {
    targets: await readTargetsOf(
      sql,
      network,
      rows.map(({ id }) => id),
    ),
    after: last === undefined ? undefined : { address: last.address, id: last.id },
    isLast: rows.length < addressesMax,
  };
}

/** A difference that one reading has shown. */
export interface Doubt {
  /** Signed, base units; 0 where its block is no longer canonical. */
  readonly amountRaw: bigint;
  readonly block: BlockRef;
  /** The block of the first reading in a row that has shown one in this direction. */
  readonly first: number;
}

export interface DoubtedTarget extends RoundTarget {
  readonly doubt: Doubt;
}

interface DoubtRow {
  readonly address_id: string;
  readonly asset_gid: string;
  readonly amount_raw: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly since_number: number | null;
  readonly first_number: number | null;
  readonly since_hash: string | null;
  readonly is_canonical: boolean;
}

/** Differences of which the chain is asked a second time. */
export interface Doubted {
  readonly targets: readonly DoubtedTarget[];
  /** Those that are not read any more: archived, set aside, of an address that is not monitored. */
  readonly dropped: readonly Pair[];
}

export interface Pair {
  readonly addressId: string;
  readonly assetGid: string;
}

/**
 * Those of blocks up to `until`, and of blocks above the cursor, which a reorg has undone; oldest first. Those with coins are
 * the analyzer's (its `round/`) until it has corrected these.
 */
export async function readDoubted(
  sql: Sql,
  network: Network,
  { until, cursor, pairsMax }: { readonly until: number; readonly cursor: number; readonly pairsMax: number },
): Promise<Doubted> {
  const { rows } = await sql.query<DoubtRow>({
    name: 'read_doubted',
    text: `SELECT d.address_id, d.asset_gid, d.amount_raw::text, d.block_number, d.block_hash, d.since_number, d.first_number, b.hash AS since_hash,
             EXISTS (SELECT FROM canonical_blocks($1, d.block_number, d.block_number) c WHERE c.hash = d.block_hash) AS is_canonical
           FROM (SELECT * FROM balance_differences WHERE chain_gid = $1 AND (block_number <= $2 OR block_number > $4) AND coins IS NULL ORDER BY block_number LIMIT $3) d
           LEFT JOIN LATERAL canonical_blocks($1, d.since_number, d.since_number) b ON true`,
    values: [network.gid, until, pairsMax, cursor],
  });
  const doubts = new Map(rows.map((row) => [`${row.address_id} ${row.asset_gid}`, row]));
  const targets = await readTargetsOf(sql, network, [...new Set(rows.map((row) => row.address_id))]);
  const wanted = targets.flatMap((target) => {
    const key = `${target.addressId} ${target.assetGid}`;
    const row = doubts.get(key);
    if (row === undefined) return [];
    doubts.delete(key);
    return {
      ...target,
      doubt: {
        amountRaw: row.is_canonical ? BigInt(row.amount_raw) : 0n,
        block: { number: row.block_number, hash: row.block_hash },
        first: row.first_number ?? row.block_number,
      },
      since: row.since_number ?? undefined,
      base: target.isSuspected ? refOf(row.since_number, row.since_hash) : undefined,
      // A balance that is zero again is an answer, too.
      isSuspected: false,
    };
  });
  return {
    targets: wanted,
    dropped: [...doubts.values()].map((row) => ({ addressId: row.address_id, assetGid: row.asset_gid })),
  };
}

/**
 * Of each address the native coin, the assets that were found on it, and those that the registry and its project know.
 * Left out: what requests leave out as well (readWork), and addresses whose first reading is still to come.
 */
async function readTargetsOf(sql: Sql, network: Network, ids: readonly string[]): Promise<RoundTarget[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql.query<TargetRow>({
    name: 'read_round_targets',
    text: `WITH round AS MATERIALIZED (
       SELECT r.previous_at AS at, r.previous_number AS number, r.previous_hash AS hash FROM balance_rounds r
       WHERE r.chain_gid = $3 AND EXISTS (SELECT FROM canonical_blocks($3, r.previous_number, r.previous_number) b WHERE b.hash = r.previous_hash)
     ),
     page AS MATERIALIZED (
       SELECT a.id, a.project_id, a.address, a.display, a.created_at, w.from_block, b.hash AS from_hash,
              a.created_at < r.at AND coalesce(w.from_block, 0) <= r.number AS is_read_before
       FROM addresses a LEFT JOIN round r ON true LEFT JOIN address_watches w ON w.address_id = a.id AND w.chain_gid = $3
       LEFT JOIN LATERAL canonical_blocks($3, w.from_block, w.from_block) b ON b.status IN ('processed', 'confirmed')
       WHERE a.id = ANY($1) AND a.is_monitored
         AND coalesce(w.from_block, 0) <= (SELECT cursor_number FROM analyzer_states WHERE chain_gid = $3)
         AND NOT EXISTS (SELECT FROM balance_reads q WHERE q.address_id = a.id AND q.chain_gid = $3 AND q.reason = 'imported' AND q.asset_gid IS NULL)
     ),
     wanted AS (
       SELECT id AS address_id, $2::text AS asset_gid, NULL::timestamptz AS known_at FROM page
       UNION ALL SELECT p.id, b.asset_gid, NULL FROM page p JOIN balances b ON b.address_id = p.id AND b.chain_gid = $3
       UNION ALL SELECT p.id, s.gid, s.known_at FROM page p CROSS JOIN LATERAL (${SUSPECTED_ASSETS('p.project_id')}) s
     )
     SELECT p.id AS address_id, p.project_id, p.address, p.display, w.asset_gid, s.decimals, w.is_suspected,
            CASE WHEN p.is_read_before THEN r.number END AS since_number,
            CASE WHEN NOT w.is_suspected THEN NULL WHEN p.is_read_before AND w.known_at < r.at THEN r.number
              WHEN w.known_at < p.created_at AND p.from_hash IS NOT NULL THEN p.from_block END AS base_number,
            CASE WHEN NOT w.is_suspected THEN NULL WHEN p.is_read_before AND w.known_at < r.at THEN r.hash
              WHEN w.known_at < p.created_at THEN p.from_hash END AS base_hash
     FROM (SELECT address_id, asset_gid, bool_and(known_at IS NOT NULL) AS is_suspected, max(known_at) AS known_at FROM wanted GROUP BY address_id, asset_gid) w
     JOIN page p ON p.id = w.address_id
     JOIN assets s ON s.gid = w.asset_gid AND s.chain_gid = $3 AND ${IS_READABLE}
     LEFT JOIN round r ON true
     WHERE NOT EXISTS (SELECT FROM project_assets x WHERE x.project_id = p.project_id AND x.asset_gid = w.asset_gid AND x.archived_at IS NOT NULL)
       AND NOT ${IS_SET_ASIDE}
     ORDER BY p.address, p.id, w.asset_gid`,
    values: [ids, network.native?.gid, network.gid],
  });
  return rows.map((row) => ({
    ...holdingOf(row),
    block: undefined,
    parent: undefined,
    base: refOf(row.base_number, row.base_hash),
    isSuspected: row.is_suspected,
    isRetroactive: false,
    traceparent: undefined,
    since: row.since_number ?? undefined,
  }));
}
