import type { Logger } from '@chainwatch/telemetry';
import type { Sql } from '@chainwatch/db';

const EVERY_MS = 60_000;
const BATCH = 5_000;

/** Tables whose rows count until their `expires_at`, with their primary keys. */
const KEYS = {
  idempotency_keys: 'api_key_id, key_hash',
  portal_sessions: 'id',
  ended_sessions: 'id',
  proof_requests: 'event_id',
} as const;
type ExpiringTable = keyof typeof KEYS;

/** Deletes expired rows every minute; each is deleted by one replica. Returns stop. */
export function sweepExpired(db: Sql, logger: Pick<Logger, 'warn'>): () => void {
  const timer = setInterval(() => {
    for (const table of Object.keys(KEYS) as ExpiringTable[])
      deleteExpired(db, table).catch((err: unknown) =>
        logger.warn({ err, table }, 'could not delete expired rows'),
      );
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns how many there were. */
export async function deleteExpired(db: Sql, table: ExpiringTable): Promise<number> {
  let count = 0;
  for (;;) {
    const { rowCount } = await db.query(
      `DELETE FROM ${table} WHERE (${KEYS[table]}) IN (
         SELECT ${KEYS[table]} FROM ${table} WHERE expires_at <= now() ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    );
    count += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return count;
  }
}
