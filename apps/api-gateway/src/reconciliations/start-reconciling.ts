// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@chainwatch/db';
import { isItemFault } from '@chainwatch/quarantine';
import type { Logger } from '@chainwatch/telemetry';
import { reconcileStep } from './reconcile-step.ts';
import { removeReconciliations } from './remove-reconciliations.ts';
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
