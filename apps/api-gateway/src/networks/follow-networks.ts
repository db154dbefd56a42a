// SPDX-License-Identifier: Apache-2.0
import { overrideNetworks, type NetworkFault } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import type { Logger } from '@chainwatch/platform/telemetry';
import { readStoredNetworks } from './network-store.ts';

export interface NetworkFollower {
  /** What another replica has changed is known afterwards. */
  refresh(): Promise<void>;
  stop(): void;
}

const INTERVAL_MS = 1_000;

/** Keeps the known networks as the database has them. */
export async function followNetworks(sql: Sql, logger: Pick<Logger, 'warn'>): Promise<NetworkFollower> {
  let isCurrent = false;
  let known = '';
  let running: Promise<unknown> = Promise.resolve();
  const refresh = (): Promise<void> => {
    // One behind the other: what was read before a change may not be the last word.
    const next = running.then(readAll);
    running = next.catch(() => undefined);
    return next;
  };
  const readAll = async (): Promise<void> => {
    const faults = await refreshNetworks(sql);
    isCurrent = true;
    const now = JSON.stringify(faults);
    if (faults.length > 0 && now !== known) logger.warn({ faults }, 'ignored unsupported network documents');
    known = now;
  };
  const tryToRefresh = (): Promise<void> =>
    refresh().catch((err: unknown) => {
      // The last known ones stay.
      if (isCurrent) logger.warn({ err }, 'failed to read networks');
      isCurrent = false;
    });
  await tryToRefresh();
  const timer = setInterval(() => void tryToRefresh(), INTERVAL_MS);
  timer.unref();
  return { refresh, stop: () => clearInterval(timer) };
}

/** Returns what is wrong with documents that are left out. */
export async function refreshNetworks(sql: Sql): Promise<readonly NetworkFault[]> {
  return overrideNetworks((await readStoredNetworks(sql)).map(({ document }) => document));
}
