// SPDX-License-Identifier: Apache-2.0
import { History } from 'lucide-react';
import { useState } from 'react';
import { useChainName, type Address, addressQuery, chainsQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, bodyOf } from '../../api/client.ts';
import { reasonFor, Select, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { tell } from '../../ui/toast.tsx';

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

interface HistoryDialogProps {
  readonly address: Address;
  readonly onClose: () => void;
}

function HistoryDialog({ address: { address, chain_family }, onClose }: HistoryDialogProps) {
  const client = useQueryClient();
  const { data } = useQuery(chainsQuery);
  const chains = data?.items.filter((chain) => chain.is_active && chain.family === chain_family) ?? [];
  const [chosen, setChosen] = useState<string>();
  const gid = chosen ?? chains[0]?.gid;
  const [from, setFrom] = useState('0');
  const asking = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/addresses/{address}/actions/backfill', {
          params: { path: { address } },
          body: { history: { [gid ?? '']: Number(from) } },
        }),
      ),
    onSuccess: async () => {
      tell('History import started');
      await client.invalidateQueries(addressQuery(address));
      onClose();
    },
  });
  const reason = reasonFor(asking.error, 'history');
  return (
    <FormModal
      title="Import history"
      description="Reads final blocks from the given block on, with a limited share of the node."
      onClose={onClose}
      action="Read"
      sending={asking}
      reasons={[reason]}
      isDisabled={gid === undefined}
    >
      <Select label="Chain" value={gid} onChange={(event) => setChosen(event.target.value)}>
        {chains.map((chain) => (
          <option key={chain.gid} value={chain.gid}>
            {chain.display_name}
          </option>
        ))}
      </Select>
      <TextField
        label="From block"
        type="number"
        min={0}
        required
        value={from}
        onChange={(event) => setFrom(event.target.value)}
        error={reason}
      />
    </FormModal>
  );
}
