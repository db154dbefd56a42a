// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainClient, NodeUpgrade, Upgrade } from '@chainwatch/chain-core';
import type { Logger } from '@chainwatch/telemetry';
import type { ChainReport } from './chain-report.ts';

const DAY_MS = 86_400_000;

interface WatchOptions {
  readonly client: Pick<ChainClient, 'findNewUpgrades'>;
  /** The calendar of the chain. */
  readonly upgrades: readonly Upgrade[];
  readonly report: ChainReport;
  readonly log: Pick<Logger, 'warn'>;
  readonly signal: AbortSignal;
  readonly intervalMs?: number;
}

/**
 * Compares the calendar with what the chain's nodes tell, at the start and once a day, until the signal aborts. A node that
 * cannot tell is silent. What the node says warns: it changes no block.
 */
export async function watchUpgrades(options: WatchOptions): Promise<void> {
  const { client, upgrades, report, log, signal, intervalMs = DAY_MS } = options;
  const told = new Set<string>();
  while (!signal.aborted) {
    const found = await askNode(client, upgrades, signal);
    if (found !== undefined) report.newUpgrades = found;
    for (const { name, isActive, at } of found ?? []) {
      if (told.has(name)) continue;
      told.add(name);
      log.warn({ upgrade: name, is_active: isActive, at }, 'an upgrade outside the calendar was found');
    }
    await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function askNode(
  client: WatchOptions['client'],
  upgrades: readonly Upgrade[],
  signal: AbortSignal,
): Promise<readonly NodeUpgrade[] | undefined> {
  try {
    return await client.findNewUpgrades?.(upgrades, signal);
  } catch {
    return undefined;
  }
}
