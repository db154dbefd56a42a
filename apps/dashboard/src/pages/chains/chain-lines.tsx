// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import type { Blockchain } from '../../api/queries.ts';
import { ChainLogo } from '../../ui/chain-name.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

/** How far each chain is read. */
export function ChainLines({ chains }: { readonly chains: readonly Blockchain[] }) {
  return (
    <ul className="divide-y divide-line">
      {chains.map((chain) => (
        <li
          key={chain.gid}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-2.5 text-[13px]"
        >
          <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <Link
              to="/chains/$gid"
              params={{ gid: chain.gid }}
              className="flex min-w-0 items-center gap-2 font-medium hover:text-accent-ink"
            >
              <ChainLogo chain={chain} />
              <span className="truncate">{chain.display_name}</span>
            </Link>
            {chain.sync && <Status of={chain.sync.status} />}
          </span>
          {chain.sync && (
            <span className="text-right tabular-nums">
              {chain.sync.head_number?.toLocaleString() ?? '–'}
              <span className="block text-xs text-faint">
                {sayLag(chain.sync.lag_blocks)} · <Time at={chain.sync.updated_at} />
              </span>
            </span>
          )}
          {chain.sync?.reason && <span className="col-span-2 text-soft">{chain.sync.reason}</span>}
        </li>
      ))}
    </ul>
  );
}

export function sayLag(blocks: number | null): string {
  if (blocks === null) return 'lag unknown';
  if (blocks === 0) return 'at the head';
  return `${blocks.toLocaleString()} ${blocks === 1 ? 'block' : 'blocks'} behind`;
}
