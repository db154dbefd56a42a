// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';
import type { Database, Sql, Statement } from '@chainwatch/data/db';
import {
  ShareLostError,
  ShareSupervisor,
  type OwnedShare,
  type ShareTiming,
  renewSql,
} from '@chainwatch/data/ownership';

export interface PositioningDeps {
  readonly db: Database;
  /** Keeps plans. */
  readonly planned: Sql;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly health?: WorkerHealth;
  /** How shares move between replicas. */
  readonly timing?: Partial<ShareTiming> | undefined;
}

/** Of the projects, by the first six bits of their ids. */
const SHARES = Array.from({ length: 64 }, (_, index) => index.toString(16).padStart(2, '0'));
/** Half of the 200 ms that a position may be late. */
const LOOK_MS = 100;
/** Shares at work at the same time: the others find connections too. */
const SHARES_AT_ONCE = 4;

/** A share of ours; `done` is settled while nobody works on it. */
interface Held {
  readonly share: OwnedShare;
  done: Promise<unknown>;
}

/**
 * Gives the events of the projects that this replica owns (rows of `owners`, kind `positions`) their positions. All of
 * its shares are looked at in one statement, in turn: one that has much to do leaves room for the others.
 * @returns stop
 */
export function startPositioning({
  db,
  planned,
  logger,
  health,
  timing,
}: PositioningDeps): () => Promise<void> {
  const held = new Map<string, Held>();
  const supervisor = new ShareSupervisor({
    db,
    kind: 'positions',
    logger,
    listShares: () => Promise.resolve(new Map(SHARES.map((share) => [share, share]))),
    work: async ({ share, item: name, signal }) => {
      const mine: Held = { share, done: Promise.resolve() };
      held.set(name, mine);
      await new Promise((resolve) => {
        if (signal.aborted) resolve(undefined);
        else signal.addEventListener('abort', resolve, { once: true });
      });
      held.delete(name);
      await mine.done;
    },
    timing,
  });
  const stopping = new AbortController();
  const working = runRounds({ held, planned, logger, health, signal: stopping.signal });
  return async () => {
    stopping.abort();
    await working;
    await supervisor.stop();
  };
}

interface Rounds extends Pick<PositioningDeps, 'planned' | 'logger'> {
  readonly health: WorkerHealth | undefined;
  readonly held: ReadonlyMap<string, Held>;
  readonly signal: AbortSignal;
}

async function runRounds({ held, planned, logger, health, signal }: Rounds): Promise<void> {
  let lastError = '';
  while (!signal.aborted) {
    let hasMore = false;
    try {
      hasMore = held.size > 0 && (await runRound(held, planned));
      lastError = '';
      health?.succeed();
    } catch (err) {
      health?.fail('failed to assign event positions');
      const message = err instanceof Error ? err.message : String(err);
      if (message !== lastError) logger.warn({ err }, 'failed to assign event positions, will retry');
      lastError = message;
    }
    if (!hasMore) await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** One step of each share that waits. Resolves to whether some have more. */
async function runRound(held: ReadonlyMap<string, Held>, planned: Sql): Promise<boolean> {
  const waiting = [...(await findWaitingShares(planned, [...held.keys()]))];
  let hasMore = false;
  const takeNext = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      hasMore = (await step(held.get(name), planned)) || hasMore;
  };
  const workers = await Promise.allSettled(Array.from({ length: SHARES_AT_ONCE }, takeNext));
  const failed = workers.find((worker) => worker.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return hasMore;
}

async function step(mine: Held | undefined, planned: Sql): Promise<boolean> {
  if (mine === undefined || mine.share.signal.aborted) return false;
  const giving = givePositions(mine.share, planned);
  mine.done = giving.catch(() => undefined);
  try {
    return (await giving) === POSITIONED_AT_ONCE;
  } catch (error) {
    // The supervisor says so.
    if (error instanceof ShareLostError) return false;
    throw error;
  }
}

/** Rows that one statement takes (decisions.md §12). */
const POSITIONED_AT_ONCE = 1_000;

/**
 * The order of the lock matters: a row that is seen once the share is ours was committed, and gets a position above all that
 * were given before. Rows that are being deleted are passed over, so that nobody waits for the deletion of a project.
 * A row that has a position keeps it.
 */
const GIVE_POSITIONS = `
  WITH ours AS (${renewSql(['$1', '$2', '$3', '$4'])}),
  taken AS MATERIALIZED (
    SELECT u.event_row_id, u.project_id FROM unpositioned_events u WHERE u.share = $5::integer AND EXISTS (SELECT FROM ours)
    ORDER BY u.event_row_id LIMIT ${POSITIONED_AT_ONCE} FOR UPDATE SKIP LOCKED),
  done AS (DELETE FROM unpositioned_events u USING taken t WHERE u.share = $5::integer AND u.event_row_id = t.event_row_id),
  raised AS (
    INSERT INTO project_positions AS p (project_id, last_position, history)
    SELECT t.project_id, count(*), h.history FROM taken t, (SELECT position_history() AS history) h GROUP BY t.project_id, h.history ORDER BY t.project_id
    ON CONFLICT (project_id) DO UPDATE SET last_position = reached_position(p) + excluded.last_position, history = excluded.history
    RETURNING p.project_id, p.last_position),
  given AS (
    INSERT INTO event_positions (project_id, position, event_row_id)
    SELECT t.project_id, r.last_position - t.later, t.event_row_id
    FROM (SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY event_row_id DESC) - 1 AS later FROM taken) t JOIN raised r USING (project_id)
    ORDER BY t.event_row_id ON CONFLICT (event_row_id) DO NOTHING)
  SELECT (SELECT count(*) FROM taken) AS count FROM ours`;

/**
 * Gives positions to the share's oldest events without one. Returns to how many.
 * @throws ShareLostError, and nothing was written
 */
export async function givePositions(share: OwnedShare, planned: Sql): Promise<number> {
  const { kind, share: name, owner, token } = share.claim;
  const statement: Statement = {
    name: 'give_positions',
    text: GIVE_POSITIONS,
    values: [kind, name, owner, token, Number.parseInt(name, 16)],
  };
  const rows = await share.query<{ count: number }>(statement, ({ length }) => length > 0, planned);
  return rows[0]!.count;
}

/** Those of the shares that have events without a position. */
export async function findWaitingShares(planned: Sql, shares: readonly string[]): Promise<readonly string[]> {
  const { rows } = await planned.query<{ name: string }>({
    name: 'find_waiting_shares',
    text: `SELECT s.name FROM unnest($1::text[], $2::integer[]) AS s (name, share),
             LATERAL (SELECT FROM unpositioned_events u WHERE u.share = s.share LIMIT 1) u`,
    values: [shares, shares.map((name) => Number.parseInt(name, 16))],
  });
  return rows.map(({ name }) => name);
}
