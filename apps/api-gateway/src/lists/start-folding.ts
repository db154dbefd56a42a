import type { Logger } from '@chainwatch/telemetry';
import type { Database } from '@chainwatch/db';

interface FoldingOptions {
  readonly db: Pick<Database, 'query'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Between two looks when nothing waits. Default 1,000. */
  readonly pauseMs?: number;
}

/** In one transaction. */
const LINES_MAX = 5_000;
/** After so many the table is cleared of them, earlier than the server would by itself: readers look through it. */
const CLEARED_LINES = 20_000;

/**
 * Puts the lines that writers add to the totals of lists together, so that reading a total stays cheap. Any number of
 * replicas may run it: one at a time works, and a total is exact before, during and after.
 * @returns stops it
 */
export function startFolding({ db, logger, pauseMs = 1_000 }: FoldingOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let gone = 0;
  const fold = async (): Promise<void> => {
    const folded = await foldOnce(db).catch((error: unknown) => {
      logger.warn({ err: error }, 'totals of lists could not be put together, retrying');
      return 0;
    });
    gone += folded;
    if (gone >= CLEARED_LINES) {
      gone = 0;
      await db.query('VACUUM (SKIP_LOCKED, TRUNCATE false) list_changes').catch((error: unknown) => {
        logger.warn({ err: error }, 'what was folded into the totals of lists could not be cleared away');
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
  const { rows } = await db.query<{ folded: number }>('SELECT fold_list_counts($1) AS folded', [LINES_MAX]);
  return rows[0]!.folded;
}
