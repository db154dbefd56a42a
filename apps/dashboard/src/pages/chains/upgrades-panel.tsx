// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';
import { Panel } from '../../ui/panel.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { listComing, listRecent } from './list-coming.ts';

type Chain = components['schemas']['BlockchainDetails'];
type Upgrade = Chain['upgrades'][number];

const STATES: Readonly<Record<Upgrade['state'], string>> = {
  ready: 'Supported',
  generated: 'Supported',
  not: 'Not supported',
};

/** Upgrades that are to come, and the last ones that are active; nothing where none is known. */
export function UpgradesPanel({ chain }: { readonly chain: Chain }) {
  const now = { nowMs: Date.now(), headNumber: chain.sync?.head_number ?? null };
  const [coming, recent] = [listComing(chain.upgrades, now), listRecent(chain.upgrades, now)];
  if (coming.length + recent.length === 0) return null;
  return (
    <Panel title="Upgrades">
      <div className="flex flex-col gap-4">
        {coming.length > 0 && <UpgradeList title="Next" upgrades={coming} />}
        {recent.length > 0 && <UpgradeList title="Recent" upgrades={recent} />}
      </div>
    </Panel>
  );
}

interface UpgradeListProps {
  readonly title: string;
  readonly upgrades: readonly Upgrade[];
}

function UpgradeList({ title, upgrades }: UpgradeListProps) {
  return (
    <div>
      <h3 className="mb-1.5 text-xs text-faint">{title}</h3>
      <ul aria-label={`${title} upgrades`} className="flex flex-col gap-3 text-[13px]">
        {upgrades.map((upgrade) => (
          <li key={upgrade.name} className="flex flex-col gap-0.5">
            <span className="flex flex-wrap items-center gap-2">
              <span className="font-medium">{upgrade.name}</span>
              <Badge>{STATES[upgrade.state]}</Badge>
            </span>
            <span className="text-xs text-soft tabular-nums">
              <When of={upgrade} />
            </span>
            {upgrade.reason !== null && <span className="break-words text-warn">{upgrade.reason}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function When({ of: { date, height } }: { readonly of: Upgrade }) {
  if (date !== null) return <Time at={date} isLong />;
  return height === null ? 'No date announced' : `At block ${height.toLocaleString()}`;
}
