import type { z } from 'zod';
import type { Sql } from '@chainwatch/db';
import { readLastUsed } from '../addresses/read-addresses.ts';
import { toAddressRecord } from '../records/address.ts';
import type { AddressRow, hdAddressSchema } from '../records/address.ts';
import type { PublicKeyRow } from '../records/public-key.ts';

type HdRecord = z.infer<typeof hdAddressSchema>;

/** Rows that are made into records in one go: the event loop has others to serve. */
const AT_ONCE = 250;

/**
 * Addresses of one chain of a key, in the order of their indexes in `indexes`; one that was deleted meanwhile is left out.
 * In SQL: Prisma takes ten times as long for a thousand of them, all of it on the event loop.
 */
export async function readGenerated(
  sql: Sql,
  key: PublicKeyRow,
  change: number,
  indexes: readonly number[],
): Promise<HdRecord[]> {
  const records: HdRecord[] = [];
  const lastUsed = (await readLastUsed(sql, [key.id])).get(`${key.id}/${change}`) ?? -1;
  for (let start = 0; start < indexes.length; start += AT_ONCE) {
    const rows = await readRows(sql, key, change, indexes.slice(start, start + AT_ONCE));
    records.push(
      ...rows.map((row) => toAddressRecord(row, lastUsed)).filter((record) => record.kind === 'hd'),
    );
  }
  return records;
}

interface Row {
  readonly id: string;
  readonly address: string;
  readonly display: string;
  readonly format: string;
  readonly label: string | null;
  readonly metadata: AddressRow['metadata'];
  readonly groups: string[];
  readonly is_monitored: boolean;
  readonly is_used: boolean;
  readonly imported_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly derivation_index: number;
  readonly watches: AsJson<AddressRow['watches'][number]>[] | null;
  readonly backfills: AsJson<AddressRow['backfills'][number]>[] | null;
}

/** As PostgreSQL writes it: numbers where Prisma has bigints. */
type AsJson<T> = { readonly [K in keyof T]: bigint extends T[K] ? number | Exclude<T[K], bigint> : T[K] };

async function readRows(
  sql: Sql,
  key: PublicKeyRow,
  change: number,
  indexes: readonly number[],
): Promise<AddressRow[]> {
  const { rows } = await sql.query<Row>(
    `SELECT a.id, a.address, a.display, a.format, a.label, a.metadata, a.groups, a.is_monitored, a.is_used, a.imported_at, a.created_at, a.updated_at, a.derivation_index,
       (SELECT json_agg(json_build_object('chainGid', w.chain_gid, 'fromBlock', w.from_block) ORDER BY w.chain_gid)
        FROM address_watches w WHERE w.address_id = a.id) AS watches,
       (SELECT json_agg(json_build_object('chainGid', b.chain_gid, 'status', b.status, 'fromBlock', b.from_block, 'nextBlock', b.next_block, 'toBlock', b.to_block,
          'method', b.method, 'reason', b.reason, 'coinCount', b.coin_count) ORDER BY b.chain_gid)
        FROM address_backfills b WHERE b.address_id = a.id) AS backfills
     FROM addresses a WHERE a.public_key_id = $1 AND a.derivation_change = $2 AND a.derivation_index = ANY ($3::bigint[])`,
    [key.id, change, indexes],
  );
  const byIndex = new Map(rows.map((row) => [row.derivation_index, toAddressRow(key, change, row)]));
  return indexes.flatMap((index) => byIndex.get(index) ?? []);
}

function toAddressRow(key: PublicKeyRow, change: number, row: Row): AddressRow {
  return {
    id: row.id,
    projectId: key.projectId,
    chainFamily: key.chainFamily,
    address: row.address,
    display: row.display,
    kind: 'hd',
    format: row.format,
    label: row.label,
    metadata: row.metadata,
    groups: row.groups,
    isMonitored: row.is_monitored,
    importedAt: row.imported_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    publicKeyId: key.id,
    derivationChange: change,
    derivationIndex: BigInt(row.derivation_index),
    isUsed: row.is_used,
    watches: (row.watches ?? []).map((watch) => ({ ...watch, fromBlock: BigInt(watch.fromBlock) })),
    backfills: (row.backfills ?? []).map((backfill) => ({
      ...backfill,
      fromBlock: BigInt(backfill.fromBlock),
      nextBlock: backfill.nextBlock === null ? null : BigInt(backfill.nextBlock),
      toBlock: backfill.toBlock === null ? null : BigInt(backfill.toBlock),
    })),
    publicKey: key,
  };
}
