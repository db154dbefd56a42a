// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@chainwatch/db';
import { ShareSupervisor, type ShareTiming } from '@chainwatch/ownership';
import { gauge, type Logger, type WorkerHealth } from '@chainwatch/telemetry';
import { countChannels, readBacklog, STAGES, type Backlog } from './read-backlogs.ts';

interface BacklogWatchDeps {
  readonly db: Database;
  /** Uses indexes whatever the statistics say (keepsPlans). */
  readonly planned: Database;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly health?: WorkerHealth;
  readonly intervalMs?: number;
  readonly timing?: Partial<ShareTiming> | undefined;
}

const INTERVAL_MS = 15_000;
const STATUSES = ['active', 'failing', 'failed'] as const;

const rows = gauge('chainwatch_backlog_rows', {
  description:
    'What waits at a stage: events, readings of balances or deliveries; 100,000 means that many or more.',
});
const ages = gauge('chainwatch_backlog_age_seconds', {
  description: 'Since when the oldest of them waits; 0: none does.',
});
const channels = gauge('chainwatch_channels', { description: 'Channels that are not archived, by status.' });

/**
 * Looks over and over at what waits in the database, on one replica (row of `owners`, kind `backlogs`). What it cannot
 * read it does not tell. @returns stop
 */
export function startBacklogWatch(deps: BacklogWatchDeps): () => Promise<void> {
  const { db, logger, timing, intervalMs = INTERVAL_MS } = deps;
  const supervisor = new ShareSupervisor({
    db,
    kind: 'backlogs',
    logger,
    listShares: () => Promise.resolve(new Map([['all', 'all']])),
    work: async ({ signal }) => {
      while (!signal.aborted) {
        await look(deps);
        await delay(intervalMs, undefined, { signal }).catch(() => undefined);
      }
      forget();
    },
    timing,
  });
  return () => supervisor.stop();
}

async function look({ db, planned, logger, health }: BacklogWatchDeps): Promise<void> {
  try {
    for (const stage of STAGES) tell(stage, await readBacklog(planned, stage));
    const counts = await countChannels(db);
    for (const status of STATUSES) channels.set(counts.get(status) ?? 0, { status });
    health?.succeed();
  } catch (err) {
    forget();
    health?.fail('failed to read delivery backlog');
    logger.warn({ err }, 'failed to read delivery backlog');
  }
}

function tell(stage: string, backlog: Backlog): void {
  rows.set(backlog.rows, { stage });
  ages.set(backlog.ageSeconds, { stage });
}

function forget(): void {
  for (const stage of STAGES) for (const each of [rows, ages]) each.forget({ stage });
  for (const status of STATUSES) channels.forget({ status });
}
