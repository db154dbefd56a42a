// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import type { Sql } from '@chainwatch/data/db';

const EVERY_MS = 60_000;

/** Tables whose rows count until their `expires_at`: their primary keys, and how many rows one statement deletes. */
const TABLES = {
  idempotency_keys: { key: 'api_key_id, key_hash', batch: 5_000 },
  portal_sessions: { key: 'id', batch: 5_000 },
  ended_sessions: { key: 'id', batch: 5_000 },
  proof_requests: { key: 'event_id', batch: 5_000 },
  // With its document, which may be large.
  statements: { key: 'id', batch: 1 },
} as const;
type ExpiringTable = keyof typeof TABLES;

/** Deletes expired rows every minute; each is deleted by one replica. Returns stop. */
export function sweepExpired(db: Sql, logger: Pick<Logger, 'warn'>): () => void {
  const timer = setInterval(() => {
    for (const table of Object.keys(TABLES) as ExpiringTable[])
      deleteExpired(db, table).catch((err: unknown) =>
        logger.warn({ err, table }, 'failed to delete expired rows'),
      );
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns how many there were. */
export async function deleteExpired(db: Sql, table: ExpiringTable): Promise<number> {
  const { key, batch } = TABLES[table];
  let count = 0;
  for (;;) {
    const { rowCount } = await db.query(
      `DELETE FROM ${table} WHERE (${key}) IN (
         SELECT ${key} FROM ${table} WHERE expires_at <= now() ORDER BY expires_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)`,
    );
    count += rowCount ?? 0;
    if ((rowCount ?? 0) < batch) return count;
  }
}
