// SPDX-License-Identifier: Apache-2.0
import { timeOfUpgrade, type Upgrade } from '@chainwatch/chain-core';
import { gauge } from '@chainwatch/telemetry';

const AHEAD_MS = 90 * 86_400_000;

const seconds = gauge('chainwatch_upgrade_seconds', {
  description:
    'Time since an upgrade of a network took effect, negative before: those of the next 90 days, and past ones that are not supported.',
});
type Labels = Readonly<Record<'network' | 'name' | 'state', string>>;
let told = new Map<string, Labels>();

/** @param upgrades those of the chains that this replica owns; what was told before and is not among them is forgotten */
export function recordUpgrades(upgrades: readonly Upgrade[], nowMs = Date.now()): void {
  const now = new Map<string, Labels>();
  for (const row of upgrades) {
    const atMs = timeOfUpgrade(row);
    if (atMs === undefined || atMs - nowMs > AHEAD_MS || (atMs <= nowMs && row.state !== 'not')) continue;
    const { network, name, state } = row;
    now.set(`${network} ${name}`, { network, name, state });
    seconds.set((nowMs - atMs) / 1_000, { network, name, state });
  }
  for (const [key, labels] of told) if (!now.has(key)) seconds.forget(labels);
  told = now;
}
