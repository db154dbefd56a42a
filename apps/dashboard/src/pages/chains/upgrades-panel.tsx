import type { components } from '@chainwatch/sdk';
import { Panel } from '../../ui/panel.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { listComing } from './list-coming.ts';

type Chain = components['schemas']['BlockchainDetails'];
type Upgrade = Chain['upgrades'][number];

const STATES: Readonly<Record<Upgrade['state'], string>> = {
  ready: 'Supported',
  generated: 'Supported',
  not: 'Not supported',
};

/** Upgrades that are still to come; nothing where none is known. */
export function UpgradesPanel({ chain }: { readonly chain: Chain }) {
  const coming = listComing(chain.upgrades, {
    nowMs: Date.now(),
    headNumber: chain.sync?.head_number ?? null,
  });
  if (coming.length === 0) return null;
  return (
    <Panel title="Upcoming upgrades">
      <ul className="flex flex-col gap-3 text-[13px]">
        {coming.map((upgrade) => (
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
    </Panel>
  );
}

function When({ of: { date, height } }: { readonly of: Upgrade }) {
  if (date !== null) return <Time at={date} isLong />;
  return height === null ? 'No date announced' : `At block ${height.toLocaleString()}`;
}
