// SPDX-License-Identifier: Apache-2.0
import { overrideNetworks } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import type { Logger } from '@chainwatch/platform/telemetry';

/** How often the networks of the operator are read. */
const INTERVAL_MS = 30_000;

/** Keeps the names of networks that the operator added or changed. Messages to people use them. */
export async function followNetworks(
  db: Sql,
  logger: Pick<Logger, 'warn'>,
  intervalMs = INTERVAL_MS,
): Promise<{ stop(): void }> {
  const refresh = async (): Promise<void> => {
    try {
      const { rows } = await db.query<{ document: unknown }>('SELECT document FROM networks ORDER BY gid');
      // Faults are reported by the services that read blocks; a network that is left out shows its id.
      overrideNetworks(rows.map(({ document }) => document));
    } catch (error) {
      // The last known ones stay.
      logger.warn({ err: error }, 'failed to read networks');
    }
  };
  await refresh();
  const timer = setInterval(() => void refresh(), intervalMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
