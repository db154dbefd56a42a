import type { Logger } from '@chainwatch/telemetry';
import type { Sql } from '@chainwatch/db';

const EVERY_MS = 60_000;
const BATCH = 5_000;

/** Deletes expired answers every minute; each is deleted by one replica. Returns stop. */
export function sweepAnswers(db: Sql, logger: Pick<Logger, 'warn'>): () => void {
  const timer = setInterval(() => {
    deleteExpired(db).catch((err: unknown) =>
      logger.warn({ err }, 'could not delete expired Idempotency-Keys'),
    );
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns how many there were. */
export async function deleteExpired(db: Sql): Promise<number> {
  let count = 0;
  for (;;) {
    const { rowCount } = await db.query(
      `DELETE FROM idempotency_keys WHERE (api_key_id, key_hash) IN (
         SELECT api_key_id, key_hash FROM idempotency_keys WHERE expires_at <= now() ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    );
    count += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return count;
  }
}
