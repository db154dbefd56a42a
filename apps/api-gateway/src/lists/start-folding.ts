// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import type { Database } from '@chainwatch/data/db';

interface FoldingOptions {
  readonly db: Pick<Database, 'query'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Pause between two looks while nothing waits. Default 1,000. */
  readonly pauseMs?: number;
}

/** Lines that one transaction folds. */
const LINES_MAX = 5_000;
/** After this many lines the table is vacuumed, earlier than the server would do it: readers scan the dead lines. */
const CLEARED_LINES = 20_000;

/**
 * Folds the lines that writers add into the totals of lists, so that reading a total stays cheap. Any number of
 * replicas may run it: one works at a time, and a total is exact before, during and after.
 * @returns stop
 */
export function startFolding({ db, logger, pauseMs = 1_000 }: FoldingOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let gone = 0;
  const fold = async (): Promise<void> => {
    const folded = await foldOnce(db).catch((error: unknown) => {
      logger.warn({ err: error }, 'failed to fold list totals, will retry');
      return 0;
    });
    gone += folded;
    if (gone >= CLEARED_LINES) {
      gone = 0;
      await db.query('VACUUM (SKIP_LOCKED, TRUNCATE false) list_changes').catch((error: unknown) => {
        logger.warn({ err: error }, 'failed to vacuum list changes');
      });
    }
    if (!isStopped) timer = setTimeout(() => void fold(), folded < LINES_MAX ? pauseMs : 0).unref();
  };
  timer = setTimeout(() => void fold(), pauseMs).unref();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

async function foldOnce(db: Pick<Database, 'query'>): Promise<number> {
  const { rows } = await db.query<{ folded: number }>('SELECT fold_totals($1) AS folded', [LINES_MAX]);
  return rows[0]!.folded;
}
