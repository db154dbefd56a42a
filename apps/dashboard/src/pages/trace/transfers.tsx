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
          <Ends chainGid={transaction.chain_gid} transfer={transfer} />
          <Moved transfer={transfer} sign={signOf(transaction, transfer)} />
        </li>
      ))}
      {transfers.length === 0 && (
        <li className="px-4 py-2.5 text-[13px] text-soft">It moved nothing but its fee.</li>
      )}
      {transfers.length > SHOWN && (
        <li className="px-4 py-2.5 text-[13px] text-soft">{transfers.length - SHOWN} more transfers</li>
      )}
    </ul>
  );
}

interface EndsProps {
  readonly chainGid: string;
  readonly transfer: Transfer;
}

function Ends({ chainGid, transfer: { from, to, monitored_addresses: own } }: EndsProps) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      {from !== null && <End chainGid={chainGid} address={from} isOwn={own.includes(from)} />}
      <ArrowRight aria-label="to" className="size-3.5 text-faint" />
      {to !== null && <End chainGid={chainGid} address={to} isOwn={own.includes(to)} />}
    </span>
  );
}

interface EndProps {
  readonly chainGid: string;
  readonly address: string;
  readonly isOwn: boolean;
}

function End({ chainGid, address, isOwn }: EndProps) {
  return (
    <span className="inline-flex items-center gap-0.5">
      <AddressText address={address} isOwn={isOwn} />
      <ExplorerLink chainGid={chainGid} about={{ address }} />
    </span>
  );
}
