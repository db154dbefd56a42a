// SPDX-License-Identifier: Apache-2.0
import { gauge, onScrape } from '@chainwatch/platform/telemetry';
import type pg from 'pg';
import { FairPool } from './fair-pool.ts';

const open = gauge('chainwatch_database_connections', { description: 'Sessions of the pool.' });
const openMax = gauge('chainwatch_database_connections_max', {
  description: 'As many sessions may the pool have.',
});
const waiting = gauge('chainwatch_database_waiting_requests', {
  description: 'Statements and transactions that wait for a session.',
});

/** Tells how full a pool is, until the function that it returns is called. */
export function observePool(pool: pg.Pool, name: string): () => void {
  const attributes = { pool: name };
  const stop = onScrape(() => {
    open.set(pool.totalCount, attributes);
    openMax.set(pool.options.max, attributes);
    waiting.set(pool instanceof FairPool ? pool.countWaiting() : pool.waitingCount, attributes);
  });
  return () => {
    stop();
    for (const each of [open, openMax, waiting]) each.forget(attributes);
  };
}
