import type { components } from '@chainwatch/sdk';

type Upgrade = components['schemas']['BlockchainDetails']['upgrades'][number];

interface Now {
  readonly nowMs: number;
  readonly headNumber: number | null;
}

/** Upgrades that are not active yet: their date is ahead, their height is, or nobody has announced either. */
export function listComing(upgrades: readonly Upgrade[], { nowMs, headNumber }: Now): Upgrade[] {
  return upgrades.filter(({ date, height }) =>
    date === null ? height === null || headNumber === null || headNumber < height : Date.parse(date) > nowMs,
  );
}
