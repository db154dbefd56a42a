import type { components } from '@chainwatch/sdk';
import type { Finding } from './examine-health.ts';

type Chain = Pick<components['schemas']['BlockchainDetails'], 'gid' | 'upgrades' | 'upgrades_reviewed'>;
type Upgrade = Chain['upgrades'][number];

const DAY_MS = 86_400_000;
const AHEAD_DAYS = 30;
/** As old as the release that knows nothing of what was announced since. */
const REVIEWED_DAYS_MAX = 60;

/** Upgrades of active chains: those of the next 30 days, and past ones that the service does not support. */
export function examineUpgrades(chains: readonly Chain[], nowMs: number): Finding[] {
  const findings = chains.flatMap(({ gid, upgrades }) =>
    upgrades.flatMap((upgrade) =>
      describe(upgrade, nowMs).map((finding) => ({ ...finding, what: `${gid} upgrade` })),
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

function describe({ name, date, state, reason }: Upgrade, nowMs: number): Omit<Finding, 'what'>[] {
  if (date === null) return [];
  const days = Math.ceil((Date.parse(date) - nowMs) / DAY_MS);
  const isPast = Date.parse(date) <= nowMs;
  const ok = state !== 'not';
  if (days > AHEAD_DAYS || (isPast && ok)) return [];
  const when = isPast ? `active since ${date}` : `on ${date}, in ${days} ${days === 1 ? 'day' : 'days'}`;
  const how = {
    ready: 'tested with a recorded block',
    generated: 'tested with generated blocks',
    not: reason ?? '',
  };
  return [{ ok, found: `${name} ${when}: ${how[state]}`, ...(!ok && { advice: 'update the service' }) }];
}
