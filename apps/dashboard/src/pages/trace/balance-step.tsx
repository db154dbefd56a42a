// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { balancesQuery, useSymbol, type Transaction } from '../../api/queries.ts';
import { Amount } from '../../ui/amount.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { AddressText } from '../../ui/rows.tsx';
import { Step } from './step.tsx';

const SHOWN = 8;

/** What its addresses have now, of the assets that it moved. */
export function BalanceStep({ transaction }: { readonly transaction: Transaction }) {
  const concerned = new Map<string, Set<string>>();
  for (const { monitored_addresses, asset_gid } of transaction.transfers)
    for (const address of monitored_addresses)
      concerned.set(address, (concerned.get(address) ?? new Set()).add(asset_gid));
  const addresses = [...concerned].slice(0, SHOWN);
  if (addresses.length === 0) return null;
  return (
    <Step tone="ok" title="Balances now">
      <ul className="divide-y divide-line">
        {addresses.map(([address, assets]) => (
          <AddressBalances key={address} address={address} assets={assets} />
        ))}
      </ul>
    </Step>
  );
}

interface AddressBalancesProps {
  readonly address: string;
  readonly assets: ReadonlySet<string>;
}

function AddressBalances({ address, assets }: AddressBalancesProps) {
  const query = useQuery(balancesQuery(address));
  if (!query.isSuccess)
    return <li>{query.error ? <Problem error={query.error} /> : <Waiting rows={1} />}</li>;
  const rows = query.data.items.filter(({ asset_gid }) => assets.has(asset_gid));
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-[13px]">
      <AddressText address={address} isOwn />
      <span className="flex flex-col items-end">
        {rows.map(({ asset_gid, total, total_raw }) => (
          <Balance key={asset_gid} assetGid={asset_gid} total={total} raw={total_raw} />
        ))}
        {rows.length === 0 && <span className="text-soft">not read yet</span>}
      </span>
    </li>
  );
}

interface BalanceProps {
  readonly assetGid: string;
  readonly total: string | null;
  readonly raw: string;
}

function Balance({ assetGid, total, raw }: BalanceProps) {
  return <Amount value={total} raw={raw} symbol={useSymbol(assetGid)} />;
}
