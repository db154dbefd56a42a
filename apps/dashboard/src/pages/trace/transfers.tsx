// SPDX-License-Identifier: Apache-2.0
import { ArrowRight } from 'lucide-react';
import type { Transaction, Transfer } from '../../api/queries.ts';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { AddressText } from '../../ui/rows.tsx';
import { Moved, signOf } from '../transactions/moved-amounts.tsx';

const SHOWN = 20;

export function Transfers({ transaction }: { readonly transaction: Transaction }) {
  const { transfers } = transaction;
  return (
    <ul aria-label="Transfers" className="divide-y divide-line">
      {transfers.slice(0, SHOWN).map((transfer) => (
        <li
          key={transfer.index}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-[13px]"
        >
          <Ends transaction={transaction} transfer={transfer} />
          <Moved transfer={transfer} sign={signOf(transaction, transfer)} />
        </li>
      ))}
      {transfers.length === 0 && (
        <li className="px-4 py-2.5 text-[13px] text-soft">Moved nothing except the fee.</li>
      )}
      {transfers.length > SHOWN && (
        <li className="px-4 py-2.5 text-[13px] text-soft">{transfers.length - SHOWN} more transfers</li>
      )}
    </ul>
  );
}

interface EndsProps {
  readonly transaction: Transaction;
  readonly transfer: Transfer;
}

function Ends({ transaction, transfer: { from, to, monitored_addresses: own } }: EndsProps) {
  const { chain_gid: chainGid, addresses } = transaction;
  const labelOf = (address: string) => addresses.find((one) => one.address === address)?.label;
  return (
    <span className="flex max-w-full min-w-0 flex-wrap items-center gap-2">
      {from !== null && (
        <End chainGid={chainGid} address={from} isOwn={own.includes(from)} label={labelOf(from)} />
      )}
      <ArrowRight aria-label="to" className="size-3.5 text-faint" />
      {to !== null && <End chainGid={chainGid} address={to} isOwn={own.includes(to)} label={labelOf(to)} />}
    </span>
  );
}

interface EndProps {
  readonly chainGid: string;
  readonly address: string;
  readonly isOwn: boolean;
  readonly label: string | null | undefined;
}

function End({ chainGid, address, isOwn, label }: EndProps) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-0.5">
      <AddressText address={address} isOwn={isOwn} label={label} />
      <ExplorerLink chainGid={chainGid} about={{ address }} />
    </span>
  );
}
