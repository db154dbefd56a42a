// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';
import type { Finding } from './examine-health.ts';

type Chain = Pick<
  components['schemas']['BlockchainDetails'],
  'gid' | 'upgrades' | 'upgrades_reviewed' | 'sync'
>;
type Upgrade = Chain['upgrades'][number];

const DAY_MS = 86_400_000;
const AHEAD_DAYS = 30;
/** As old as the release that knows nothing of what was announced since. */
const REVIEWED_DAYS_MAX = 60;

/** Upgrades of active chains: those of the next 30 days, and past ones that the service does not support. */
export function examineUpgrades(chains: readonly Chain[], nowMs: number): Finding[] {
  const findings = chains.flatMap(({ gid, upgrades, sync }) =>
    upgrades.flatMap((upgrade) =>
      describe(upgrade, { nowMs, sync }).map((finding) => ({ ...finding, what: `${gid} upgrade` })),
    ),
  );
  const oldest = chains
    .flatMap(({ upgrades_reviewed: day }) => day ?? [])
    .sort()
    .at(0);
  if (oldest === undefined) return findings;
  const age = Math.floor((nowMs - Date.parse(oldest)) / DAY_MS);
  const isOld = age > REVIEWED_DAYS_MAX;
  // Not a fault of this installation, so it does not change the exit code.
  return [
    ...findings,
    {
      what: 'calendar',
      ok: true,
      found: `reviewed on ${oldest}${isOld ? `, ${age} days ago` : ''}`,
      ...(isOld && {
        advice: 'upgrades announced since are missing: update, or mount a newer UPGRADES_FILE',
      }),
    },
  ];
}

interface Now {
  readonly nowMs: number;
  readonly sync: Chain['sync'];
}

function describe(upgrade: Upgrade, now: Now): Omit<Finding, 'what'>[] {
  const { name, date, height, state, reason } = upgrade;
  const atMs = findTime(upgrade, now);
  if (atMs === undefined) return [];
  const days = Math.ceil((atMs - now.nowMs) / DAY_MS);
  const isPast = atMs <= now.nowMs;
  const ok = state !== 'not';
  if (days > AHEAD_DAYS || (isPast && ok)) return [];
  const at = date ?? `block ${height}`;
  const ahead = `${date === null ? 'at' : 'on'} ${at}, in ${date === null ? 'about ' : ''}${days} ${days === 1 ? 'day' : 'days'}`;
  const when = isPast ? `active since ${at}` : ahead;
  const how = {
    ready: 'tested with a recorded block',
    generated: 'tested with generated blocks',
    not: reason ?? '',
  };
  return [{ ok, found: `${name} ${when}: ${how[state]}`, ...(!ok && { advice: 'update the service' }) }];
}

/** Where a height alone is known, it is reached by the pace of the chain. */
function findTime({ date, height }: Upgrade, { nowMs, sync }: Now): number | undefined {
  if (date !== null) return Date.parse(date);
  const head = sync?.head_number;
  const blockTimeMs = sync?.block_time_ms ?? sync?.configured_block_time_ms;
  if (height === null || typeof head !== 'number' || typeof blockTimeMs !== 'number') return undefined;
  return nowMs + (height - head) * blockTimeMs;
}
