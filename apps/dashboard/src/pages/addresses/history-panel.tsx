// SPDX-License-Identifier: Apache-2.0
import { History } from 'lucide-react';
import { useState } from 'react';
import { useChainName, type Address } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { HistoryDialog } from './history-dialog.tsx';

type Search = NonNullable<Address['backfill']>['chains'][string];

/** What is read of the time before the address was monitored. */
export function HistoryPanel({ address }: { readonly address: Address }) {
  const may = useMay();
  const [isAsking, setAsking] = useState(false);
  const mayAsk = may('api:address:write') && may('api:blockchain:read') && address.is_monitored;
  return (
    <Panel
      title="History"
      aside={
        mayAsk && (
          <Button isSmall icon={<History aria-hidden className="size-3.5" />} onClick={() => setAsking(true)}>
            Import history
          </Button>
        )
      }
    >
      {address.backfill === null ? (
        <p className="text-[13px] text-soft">
          Earlier payments were not imported. Imported ones are marked historical and sent only to channels
          that opt in.
        </p>
      ) : (
        <ul className="flex flex-col gap-3 text-[13px]">
          {Object.entries(address.backfill.chains).map(([gid, search]) => (
            <SearchLine key={gid} gid={gid} search={search} />
          ))}
        </ul>
      )}
      {isAsking && <HistoryDialog address={address} onClose={() => setAsking(false)} />}
    </Panel>
  );
}

function SearchLine({ gid, search }: { readonly gid: string; readonly search: Search }) {
  const nameOf = useChainName();
  const { status, from_block: from, next_block: next, to_block: to, progress, rate, reason } = search;
  const missing = search.not_covered;
  return (
    <li className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-2">
        <ChainName gid={gid} className="font-medium" />
        <Status of={status} />
      </span>
      {status !== 'failed' && (
        <progress
          aria-label={`History on ${nameOf(gid)}`}
          value={progress ?? undefined}
          max={1}
          className="h-1.5 w-full accent-accent"
        />
      )}
      <span className="text-xs text-soft tabular-nums">
        {from.toLocaleString()} to {to?.toLocaleString() ?? '?'}
        {next !== null && status !== 'complete' && `, at ${next.toLocaleString()}`}
        {rate !== null && status === 'running' && `, ${rate.toLocaleString()} blocks/s`}
        {status === 'complete' &&
          ` · ${(search.transaction_count + search.coin_count).toLocaleString()} found`}
      </span>
      {reason !== null && <span className="break-words text-warn">{reason}</span>}
      {missing.length > 0 && (
        <span className="text-warn">
          Token transfers may be missing between blocks {missing[0]!.from_block.toLocaleString()} and{' '}
          {missing.at(-1)!.to_block.toLocaleString()}: the chain did not record the owners of token accounts
          then.
        </span>
      )}
    </li>
  );
}
