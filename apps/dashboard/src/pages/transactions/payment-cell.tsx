// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import type { Transaction } from '../../api/queries.ts';
import { ChainName } from '../../ui/chain-name.tsx';
import { classes } from '../../ui/classes.ts';
import { shorten } from '../../ui/copy.tsx';
import { Status } from '../../ui/status.tsx';
import { ABOVE_ROW_LINK, ROW_LINK } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { listMoved, MovedAmounts } from './moved-amounts.tsx';

/** Whose payment it is, and between whom: the label, then from and to. */
export function PaymentCell({ transaction }: { readonly transaction: Transaction }) {
  return (
    <span className="flex min-w-0 flex-col">
      <Customer transaction={transaction} />
      <Ends transaction={transaction} />
    </span>
  );
}

/** The first address of the project by its label, and how many more there are. */
function Customer({ transaction: { addresses } }: { readonly transaction: Transaction }) {
  const [first] = addresses;
  if (first === undefined) return <span className="text-faint">No address of this project</span>;
  const { address, label } = first;
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <Link
        to="/addresses/$address"
        params={{ address }}
        title={address}
        className={classes(
          ABOVE_ROW_LINK,
          'min-w-0 truncate hover:text-accent-ink hover:underline',
          label === null ? 'font-mono' : 'font-medium',
        )}
      >
        {label ?? shorten(address)}
      </Link>
      {addresses.length > 1 && <span className="text-xs text-faint">+{addresses.length - 1}</span>}
    </span>
  );
}

/** Of the first transfer. Chains of unspent outputs name one end alone. */
function Ends({ transaction }: { readonly transaction: Transaction }) {
  const [transfer] = listMoved(transaction);
  if (transfer === undefined) return null;
  const { from, to, monitored_addresses: own } = transfer;
  return (
    <span className="flex min-w-0 items-center gap-1.5 font-mono text-xs">
      {from !== null && <End address={from} isOwn={own.includes(from)} />}
      <ArrowRight aria-label="to" className="size-3 shrink-0 text-faint" />
      {to !== null && <End address={to} isOwn={own.includes(to)} />}
    </span>
  );
}

function End({ address, isOwn }: { readonly address: string; readonly isOwn: boolean }) {
  return (
    <span title={address} className={isOwn ? 'truncate text-ink' : 'truncate text-soft'}>
      {shorten(address)}
    </span>
  );
}

/** A payment on a phone: the amount first. */
export function PaymentCard({ transaction }: { readonly transaction: Transaction }) {
  const { id, hash, status, chain_gid: chainGid, detected_at: detectedAt } = transaction;
  return (
    <span className="flex w-full min-w-0 flex-col gap-0.5">
      <span className="flex min-w-0 items-center justify-between gap-2">
        <Link to="/transactions/$id" params={{ id }} title={hash} className={`${ROW_LINK} min-w-0 truncate`}>
          <MovedAmounts transaction={transaction} />
        </Link>
        <Status of={status} />
      </span>
      <Customer transaction={transaction} />
      <span className="flex min-w-0 items-center justify-between gap-2">
        <Ends transaction={transaction} />
        <span className="shrink-0 text-xs text-faint">
          <ChainName gid={chainGid} className="align-bottom" /> · <Time at={detectedAt} />
        </span>
      </span>
    </span>
  );
}
