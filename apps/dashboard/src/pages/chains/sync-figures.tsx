// SPDX-License-Identifier: Apache-2.0
import type { Blockchain } from '../../api/queries.ts';
import { Time } from '../../ui/time.tsx';
import { sayLag } from './chain-lines.tsx';

/** How far the services are on a chain that is followed. */
export function SyncFigures({ sync }: { readonly sync: NonNullable<Blockchain['sync']> }) {
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 tabular-nums">
        <Figure name="Node head" value={sync.node_head_number} />
        <Figure name="Processed" value={sync.processed_number} note={sayLag(sync.lag_blocks)} />
        <Figure name="Final" value={sync.finalized_number} />
        {sync.block_time_ms !== null && (
          <div>
            <dt className="text-faint">Block time</dt>
            <dd className="font-medium">{sayMs(sync.block_time_ms)}</dd>
            {isOdd(sync.block_time_ms, sync.configured_block_time_ms) && (
              <dd className="text-xs text-warn">{sayMs(sync.configured_block_time_ms!)} expected</dd>
            )}
          </div>
        )}
        <div>
          <dt className="text-faint">Last report</dt>
          <dd>
            <Time at={sync.updated_at} />
          </dd>
        </div>
        {sync.balances_checked_at && (
          <div>
            <dt className="text-faint">Balances checked since</dt>
            <dd>
              <Time at={sync.balances_checked_at} />
            </dd>
          </div>
        )}
      </dl>
      {sync.reason && <p className="rounded-md bg-warn-wash px-2.5 py-1.5 text-warn">{sync.reason}</p>}
      {sync.incident_count > 0 && (
        <p className="text-warn">
          {sync.incident_count} open {sync.incident_count === 1 ? 'incident' : 'incidents'}
        </p>
      )}
    </>
  );
}

const sayMs = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** As the alert `BlockTimeDiffers`. */
const isOdd = (ms: number, expected: number | null): boolean =>
  expected !== null && (ms >= 2 * expected || ms <= expected / 2);

interface FigureProps {
  readonly name: string;
  readonly value: number | null;
  readonly note?: string;
}

function Figure({ name, value, note }: FigureProps) {
  return (
    <div>
      <dt className="text-faint">{name}</dt>
      <dd className="font-medium">{value?.toLocaleString() ?? '–'}</dd>
      {note !== undefined && <dd className="text-xs text-faint">{note}</dd>}
    </div>
  );
}
