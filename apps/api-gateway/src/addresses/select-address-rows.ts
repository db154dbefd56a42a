// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { AddressRow } from '../records/address.ts';

interface Row {
  readonly id: string;
  readonly project_id: string;
  readonly chain_family: string;
  readonly address: string;
  readonly display: string;
  readonly kind: string;
  readonly format: string;
  readonly label: string | null;
  readonly metadata: AddressRow['metadata'];
  readonly groups: string[];
  readonly is_monitored: boolean;
  readonly is_used: boolean;
  readonly imported_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly public_key_id: string | null;
  readonly derivation_change: number | null;
  readonly derivation_index: number | null;
  readonly key_path: string | null;
  readonly gap_limit: number | null;
  readonly key_chain: string | null;
  readonly watches: AsJson<AddressRow['watches'][number]>[] | null;
  readonly backfills: AsJson<AddressRow['backfills'][number]>[] | null;
  readonly histories: AsJson<AddressRow['histories'][number]>[] | null;
}

/** As PostgreSQL writes it: numbers where Prisma has bigints. */
type AsJson<T> = { readonly [K in keyof T]: bigint extends T[K] ? number | Exclude<T[K], bigint> : T[K] };

/**
 * Rows of `addresses a` with all that a record shows, in no order. In SQL: Prisma takes ten times as long for a thousand
 * of them, all of it on the event loop.
 * @param condition SQL with parameters from $1 on
 */
export async function selectAddressRows(
  sql: Sql,
  condition: string,
  values: readonly unknown[],
): Promise<AddressRow[]> {
  const { rows } = await sql.query<Row>(
    `SELECT a.id, a.project_id, a.chain_family, a.address, a.display, a.kind, a.format, a.label, a.metadata, a.groups, a.is_monitored, a.is_used,
       a.imported_at, a.created_at, a.updated_at, a.public_key_id, a.derivation_change, a.derivation_index, k.derivation_path AS key_path, k.gap_limit, k.chain_gid AS key_chain,
       (SELECT json_agg(json_build_object('chainGid', w.chain_gid, 'fromBlock', w.from_block) ORDER BY w.chain_gid)
        FROM address_watches w WHERE w.address_id = a.id) AS watches,
       (SELECT json_agg(json_build_object('chainGid', b.chain_gid, 'status', b.status, 'fromBlock', b.from_block, 'nextBlock', b.next_block, 'toBlock', b.to_block,
          'method', b.method, 'reason', b.reason, 'coinCount', b.coin_count) ORDER BY b.chain_gid)
        FROM address_backfills b WHERE b.address_id = a.id) AS backfills,
       (SELECT json_agg(json_build_object('chainGid', h.chain_gid, 'status', h.status, 'fromBlock', h.from_block, 'nextBlock', h.next_block, 'toBlock', h.to_block,
          'transactionCount', h.transaction_count, 'blocksPerSecond', h.blocks_per_second, 'reason', h.reason, 'notCovered', h.not_covered) ORDER BY h.chain_gid)
        FROM address_histories h WHERE h.address_id = a.id) AS histories
     FROM addresses a LEFT JOIN public_keys k ON k.id = a.public_key_id WHERE ${condition}`,
    [...values],
  );
  return rows.map(toAddressRow);
}

function toAddressRow(row: Row): AddressRow {
  return {
    id: row.id,
    projectId: row.project_id,
    chainFamily: row.chain_family,
    address: row.address,
    display: row.display,
    kind: row.kind,
    format: row.format,
    label: row.label,
    metadata: row.metadata,
    groups: row.groups,
    isMonitored: row.is_monitored,
    importedAt: row.imported_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    publicKeyId: row.public_key_id,
    derivationChange: row.derivation_change,
    derivationIndex: row.derivation_index === null ? null : BigInt(row.derivation_index),
    isUsed: row.is_used,
    watches: (row.watches ?? []).map((watch) => ({ ...watch, fromBlock: BigInt(watch.fromBlock) })),
    backfills: (row.backfills ?? []).map((backfill) => ({
      ...backfill,
      fromBlock: BigInt(backfill.fromBlock),
      nextBlock: backfill.nextBlock === null ? null : BigInt(backfill.nextBlock),
      toBlock: backfill.toBlock === null ? null : BigInt(backfill.toBlock),
    })),
    histories: (row.histories ?? []).map((history) => ({
      ...history,
      fromBlock: BigInt(history.fromBlock),
      nextBlock: BigInt(history.nextBlock),
      toBlock: history.toBlock === null ? null : BigInt(history.toBlock),
      transactionCount: BigInt(history.transactionCount),
    })),
    publicKey:
      row.key_path === null
        ? null
        : { derivationPath: row.key_path, gapLimit: row.gap_limit ?? 0, chainGid: row.key_chain ?? '' },
  };
}
