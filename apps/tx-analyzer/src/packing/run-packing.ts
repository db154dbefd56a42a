// SPDX-License-Identifier: Apache-2.0
import { describePublicly } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import type { WriterQueue, WriterWork } from '../commit/writer-queue.ts';

interface PackingDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly writerQueue: WriterQueue;
  /** The chain is behind or recovers: its writer is for the head. */
  readonly isHeadBusy: () => boolean;
  readonly logger: Pick<Logger, 'warn'>;
  readonly health: WorkerHealth;
  readonly pollMs: number;
  readonly signal: AbortSignal;
}

/** Between two looks while nothing can be packed, in polls; a run fills up in minutes. */
const IDLE_POLLS = 20;
/** The writer is free for the head for so many times as long as a run took. */
const REST_FACTOR = 4;
const WAIT_MS_MAX = 60_000;

/**
 * Packs final blocks that concern nobody into runs (ADR 22), also those that an older release wrote, until the signal aborts.
 * One run is one transaction of the chain's writer, so whoever owns the chain next goes on behind the last one.
 */
export async function runPacking(deps: PackingDeps): Promise<void> {
  const { chainGid, writerQueue, isHeadBusy, logger, health, pollMs, signal } = deps;
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = Math.min(pollMs * IDLE_POLLS, WAIT_MS_MAX);
    try {
      if (!isHeadBusy() && (await isDue(deps))) {
        const startedAtMs = performance.now();
        await writerQueue.enqueue(packNext(chainGid));
        waitMs = (performance.now() - startedAtMs) * REST_FACTOR;
      }
      failures = 0;
      health.succeed();
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      waitMs = Math.min(pollMs * 2 ** Math.min(failures, 10), WAIT_MS_MAX);
      health.fail(describePublicly(error));
      logger.warn({ chain_gid: chainGid, err: error }, 'failed to pack blocks, will retry');
    }
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Asked beside the writer: most of the time there is nothing to do. */
async function isDue({ sql, chainGid }: PackingDeps): Promise<boolean> {
  const { rows } = await sql.query<{ first: number | null }>({
    name: 'next_packable_run',
    text: 'SELECT next_packable_run($1) AS first',
    values: [chainGid],
  });
  return rows[0]!.first !== null;
}

function packNext(chainGid: string): WriterWork<void> {
  return async ({ chain }) => {
    await chain.share.transaction((sql) => sql.query('SELECT pack_next_blocks($1)', [chainGid]));
    return { value: undefined, events: [] };
  };
}
