// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import { readMonitoring } from './read-monitoring.ts';
import { ADDRESS_INCLUDE, toAddressRecord } from '../records/address.ts';
import type { AddressRow, addressSchema } from '../records/address.ts';

/** The records of addresses, in the given order. HD addresses include their key's gap-limit information. */
export async function readAddresses(
  sql: Sql,
  rows: readonly AddressRow[],
): Promise<z.infer<typeof addressSchema>[]> {
  const keyIds = new Set(rows.flatMap(({ publicKeyId }) => publicKeyId ?? []));
  const lastUsed = await readLastUsed(sql, [...keyIds]);
  const monitoringOf = await readMonitoring(sql, rows);
  return rows.map((row) =>
    toAddressRecord(row, monitoringOf(row), lastUsed.get(`${row.publicKeyId}/${row.derivationChange}`) ?? -1),
  );
}

export async function readAddress(sql: Sql, row: AddressRow): Promise<z.infer<typeof addressSchema>> {
  const [record] = await readAddresses(sql, [row]);
  return record!;
}

/** Reads an address that this request has written. @throws ProblemError 404 if it was deleted meanwhile */
export async function readAddressById(
  { db, prisma }: Pick<ApiDeps, 'db' | 'prisma'>,
  { projectId }: Principal,
  id: string,
): Promise<z.infer<typeof addressSchema>> {
  const row = await prisma.address.findFirst({ where: { id, projectId }, include: ADDRESS_INCLUDE });
  if (!row) throw notFound('The address was deleted meanwhile.');
  return readAddress(db, row);
}

/** The highest used index of each of two chains of keys, by `<public key>/<change>`. */
export async function readLastUsed(
  sql: Sql,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (keyIds.length === 0) return new Map();
  const { rows } = await sql.query<{ id: string; change: number; last_used: number | null }>(
    `SELECT k.id, c.change, (
       SELECT max(a.derivation_index) FROM addresses a WHERE a.public_key_id = k.id AND a.derivation_change = c.change AND a.is_used
     ) AS last_used
     FROM unnest($1::uuid[]) AS k (id), (VALUES (0), (1)) AS c (change)`,
    [keyIds],
  );
  return new Map(
    rows.flatMap(({ id, change, last_used }) =>
      last_used === null ? [] : [[`${id}/${change}`, last_used] as const],
    ),
  );
}
