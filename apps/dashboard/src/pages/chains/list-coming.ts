// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';

type Upgrade = components['schemas']['BlockchainDetails']['upgrades'][number];

interface Now {
  readonly nowMs: number;
  readonly headNumber: number | null;
}

/** Upgrades that are not active yet: their date is ahead, their height is, or nobody has announced either. */
export function listComing(upgrades: readonly Upgrade[], now: Now): Upgrade[] {
  return upgrades.filter((upgrade) => isComing(upgrade, now));
}

const RECENT = 3;

/** The last ones that are active, the newest first. */
export function listRecent(upgrades: readonly Upgrade[], now: Now): Upgrade[] {
  return upgrades
    .filter((upgrade) => !isComing(upgrade, now))
    .toSorted((one, other) => timeOf(other) - timeOf(one) || (other.height ?? 0) - (one.height ?? 0))
    .slice(0, RECENT);
}

function isComing({ date, height }: Upgrade, { nowMs, headNumber }: Now): boolean {
  if (date !== null) return Date.parse(date) > nowMs;
  return height === null || headNumber === null || headNumber < height;
}

function timeOf({ date }: Upgrade): number {
  return date === null ? 0 : Date.parse(date);
}
