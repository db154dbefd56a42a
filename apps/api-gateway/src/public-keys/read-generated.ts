// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { readLastUsed } from '../addresses/read-addresses.ts';
import { readMonitoring } from '../addresses/read-monitoring.ts';
import { selectAddressRows } from '../addresses/select-address-rows.ts';
import { toAddressRecord } from '../records/address.ts';
import type { hdAddressSchema } from '../records/address.ts';
import type { PublicKeyRow } from '../records/public-key.ts';

type HdRecord = z.infer<typeof hdAddressSchema>;

/** Rows that are made into records in one go: the event loop has others to serve. */
const AT_ONCE = 250;

/**
 * Addresses of one chain of a key, in the order of their indexes in `indexes`; one that was deleted meanwhile is left out.
 */
export async function readGenerated(
  sql: Sql,
  { key, change, indexes }: { key: PublicKeyRow; change: number; indexes: readonly number[] },
): Promise<HdRecord[]> {
  const records: HdRecord[] = [];
  const lastUsed = (await readLastUsed(sql, [key.id])).get(`${key.id}/${change}`) ?? -1;
  for (let start = 0; start < indexes.length; start += AT_ONCE) {
    const part = indexes.slice(start, start + AT_ONCE);
    const rows = await selectAddressRows(
      sql,
      'a.public_key_id = $1 AND a.derivation_change = $2 AND a.derivation_index = ANY ($3::bigint[])',
      [key.id, change, part],
    );
    const monitoringOf = await readMonitoring(sql, rows);
    const byIndex = new Map(rows.map((row) => [Number(row.derivationIndex), row]));
    records.push(
      ...part
        .flatMap((index) => byIndex.get(index) ?? [])
        .map((row) => toAddressRecord(row, monitoringOf(row), lastUsed))
        .filter((record) => record.kind === 'hd'),
    );
  }
  return records;
}
