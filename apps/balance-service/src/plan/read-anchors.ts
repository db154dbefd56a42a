// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { decodeSums, type Sums } from './sums.ts';
import type { Target } from '../read/target.ts';

/** What was known of a balance before a reading. */
export interface Anchor {
  /** The last reading. It is on the canonical chain, because undoing a block removes the readings made there. */
  readonly last:
    | {
        readonly amountRaw: bigint;
        readonly block: { readonly number: number; readonly hash: string };
        /** Block of the first reading. */
        readonly firstNumber?: number;
        /** What moved it since the first reading; absent: the release before did not count. */
        readonly sums?: Sums;
      }
    | undefined;
  /** The balance last published; `isOrphaned`: in a block that is no longer canonical. */
  readonly notified:
    | {
        readonly amountRaw: bigint;
        readonly changeCount: number;
        readonly isOrphaned: boolean;
        /** What moved it since the first reading as it was told, and the block; absent as above. */
        readonly sums?: Sums;
        readonly block?: number;
      }
    | undefined;
}

interface Row {
  readonly last_raw: string | null;
  readonly last_number: number | null;
  readonly last_hash: string | null;
  readonly first_number: number | null;
  readonly last_sums: Readonly<Record<string, string>> | null;
  readonly notified_raw: string | null;
  readonly change_count: number | null;
  readonly is_orphaned: boolean | null;
  readonly told_sums: Readonly<Record<string, string>> | null;
  readonly told_block: number | null;
}

/** In the order of `targets`. */
export async function readAnchors(
  sql: Sql,
  chainGid: string,
  targets: readonly Pick<Target, 'addressId' | 'assetGid'>[],
): Promise<Anchor[]> {
  if (targets.length === 0) return [];
  const { rows } = await sql.query<Row>({
    name: 'read_anchors',
    text: `SELECT h.amount_raw AS last_raw, h.block_number AS last_number, h.block_hash AS last_hash, h.sums AS last_sums, h.first_number, k.told_sums, k.told_block, k.amount_raw AS notified_raw, k.change_count, o.status = 'reorged' AS is_orphaned
     FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS t (address_id, asset_gid, position)
     LEFT JOIN LATERAL (
       SELECT amount_raw, block_number, block_hash, sums,
         (SELECT f.block_number FROM balance_history f WHERE f.address_id = t.address_id AND f.asset_gid = t.asset_gid ORDER BY f.block_number LIMIT 1) AS first_number
       FROM balance_history WHERE address_id = t.address_id AND asset_gid = t.asset_gid ORDER BY block_number DESC LIMIT 1
     ) h ON true
     LEFT JOIN balances k ON k.address_id = t.address_id AND k.asset_gid = t.asset_gid
     LEFT JOIN blocks o ON o.chain_gid = $1 AND o.hash = k.block_hash
     ORDER BY t.position`,
    values: [chainGid, targets.map((target) => target.addressId), targets.map((target) => target.assetGid)],
  });
  return rows.map((row) => ({
    last:
      row.last_raw === null || row.last_number === null || row.last_hash === null
        ? undefined
        : {
            amountRaw: BigInt(row.last_raw),
            block: { number: row.last_number, hash: row.last_hash },
            ...(row.first_number !== null && { firstNumber: row.first_number }),
            sums: decodeSums(row.last_sums),
          },
    notified:
      row.notified_raw === null
        ? undefined
        : {
            amountRaw: BigInt(row.notified_raw),
            changeCount: row.change_count ?? 0,
            isOrphaned: row.is_orphaned ?? false,
            sums: decodeSums(row.told_sums),
            block: row.told_block ?? undefined,
          },
  }));
}
