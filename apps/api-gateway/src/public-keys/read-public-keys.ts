// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { toPublicKeyRecord } from '../records/public-key.ts';
import type { PublicKeyRow, PublicKeyUse, publicKeySchema } from '../records/public-key.ts';
import { INDEX_MAX } from './index-limits.ts';

/** The records of keys, in the given order, with figures about their addresses. */
export async function readPublicKeys(
  sql: Sql,
  rows: readonly PublicKeyRow[],
): Promise<z.infer<typeof publicKeySchema>[]> {
  const uses = await readUses(
    sql,
    rows.map(({ id }) => id),
  );
  return rows.map((row) =>
    toPublicKeyRecord(row, uses.get(row.id) ?? { nextIndex: 0, addressCount: 0, lastUsedIndex: null }),
  );
}

interface UseRow {
  readonly id: string;
  readonly highest: number | null;
  readonly count: number;
  readonly last_used: number | null;
}

async function readUses(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, PublicKeyUse>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql.query<UseRow>(
    `SELECT k.id, (SELECT count(*) FROM addresses WHERE public_key_id = k.id) AS count,
       (SELECT max(derivation_index) FROM addresses WHERE public_key_id = k.id AND derivation_change = 0) AS highest,
       (SELECT max(derivation_index) FROM addresses WHERE public_key_id = k.id AND derivation_change = 0 AND is_used) AS last_used
     FROM unnest($1::uuid[]) AS k (id)`,
    [ids],
  );
  return new Map(
    rows.map(({ id, highest, count, last_used }) => [
      id,
      { nextIndex: findNext(highest), addressCount: count, lastUsedIndex: last_used },
    ]),
  );
}

function findNext(highest: number | null): number | null {
  if (highest === null) return 0;
  return highest < INDEX_MAX ? highest + 1 : null;
}
