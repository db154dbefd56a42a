// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql } from '@chainwatch/data/db';
import { isItemFault } from '@chainwatch/data/quarantine';
import type { Logger } from '@chainwatch/platform/telemetry';
import { reconcileStep } from './reconcile-step.ts';
import type { Work } from './work.ts';

interface ReconcilingOptions {
  readonly db: Database;
  readonly logger: Pick<Logger, 'warn'>;
  /** Pause while there is nothing to do. Default 1,000. */
  readonly pauseMs?: number;
  /** Between two looks for what has expired. Default 60,000. */
  readonly sweepMs?: number;
}

/** Then a reconciliation that fails because of what it holds is given up. */
const FAILURES_MAX = 4;

/**
 * Matches ledgers, and removes reconciliations that have expired. Any number of replicas may run it.
 * @returns stop, which resolves when the step under way has ended
 */
export function startReconciling({
  db,
  logger,
  pauseMs = 1_000,
  sweepMs = 60_000,
}: ReconcilingOptions): () => Promise<void> {
  let isStopped = false;
  let wake: () => void = () => undefined;
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const step = async (): Promise<boolean> => {
    let work: Work | undefined;
    try {
      return await reconcileStep(db, (taken) => (work = taken));
    } catch (err) {
      logger.warn({ err, reconciliation_id: work?.id }, 'failed to match ledger, will retry');
      if (work !== undefined && isOwnFault(err)) await noteFailure(db, work.id).catch(() => undefined);
      return false;
    }
  };
  const run = async (): Promise<void> => {
    let sweptAt = 0;
    while (!isStopped) {
      if (Date.now() - sweptAt >= sweepMs) {
        sweptAt = Date.now();
        await removeReconciliations(db).catch((err: unknown) =>
          logger.warn({ err }, 'failed to remove expired reconciliations, will retry'),
        );
      }
      if (!(await step())) await pause(pauseMs);
    }
  };
  const running = run();
  return async () => {
    isStopped = true;
    wake();
    await running;
  };
}

/** Of what the reconciliation holds, also where it makes a statement take too long; a database that is away is not. */
function isOwnFault(error: unknown): boolean {
  return isItemFault(error) || (error as { code?: unknown } | null)?.code === '57014';
}

async function noteFailure(db: Database, id: string): Promise<void> {
  await db.query(
    `UPDATE reconciliations SET failure_count = failure_count + 1, served_at = clock_timestamp(),
       status = CASE WHEN failure_count + 1 >= ${FAILURES_MAX} THEN 'failed' ELSE status END,
       completed_at = CASE WHEN failure_count + 1 >= ${FAILURES_MAX} THEN clock_timestamp() END,
       error = CASE WHEN failure_count + 1 >= ${FAILURES_MAX} THEN 'The ledger could not be matched. Upload it in smaller parts.' END
     WHERE id = $1 AND status = 'matching'`,
    [id],
  );
}

const ROWS_AT_ONCE = 10_000;

/**
 * Removes reconciliations that have expired or were deleted, those of deleted projects, and ledgers whose sender has gone, in
 * statements that nobody waits for. A step that was interrupted is continued by the next one.
 */
export async function removeReconciliations(sql: Sql): Promise<void> {
  // First, so that no row is added any more (store-rows.ts).
  await sql.query(
    `UPDATE reconciliations SET expires_at = now()
     WHERE expires_at > now() AND (project_id IS NULL OR status = 'receiving' AND lease_until < now())`,
  );
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM reconciliations WHERE expires_at <= now() ORDER BY expires_at',
  );
  for (const { id } of rows) {
    let removed: number | null;
    do {
      ({ rowCount: removed } = await sql.query(
        `DELETE FROM reconciliation_rows WHERE id IN (
           SELECT id FROM reconciliation_rows WHERE reconciliation_id = $1 ORDER BY id LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
        [id],
      ));
    } while (removed === ROWS_AT_ONCE);
    await sql.query(
      'DELETE FROM reconciliations r WHERE id = $1 AND NOT EXISTS (SELECT FROM reconciliation_rows x WHERE x.reconciliation_id = r.id)',
      [id],
    );
  }
}
