// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

/**
 * Derived addresses count as used from their first transaction on, whatever its fate; locked in the order of their
 * ids.
 */
export async function markUsed(sql: Sql, addressIds: readonly string[]): Promise<void> {
  await sql.query({
    name: 'mark_used',
    text: `UPDATE addresses a SET is_used = true, updated_at = now()
           FROM (SELECT id FROM addresses WHERE id = ANY($1::uuid[]) AND public_key_id IS NOT NULL AND NOT is_used ORDER BY id FOR NO KEY UPDATE) u WHERE a.id = u.id`,
    values: [addressIds],
  });
}
