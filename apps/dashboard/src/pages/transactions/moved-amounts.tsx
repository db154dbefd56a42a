// SPDX-License-Identifier: Apache-2.0
import { useSymbol, type Transaction, type Transfer } from '../../api/queries.ts';
import { Amount } from '../../ui/amount.tsx';

const SHOWN = 1;

/** The first amount that concerns the project, and how many more there are. */
export function MovedAmounts({ transaction }: { readonly transaction: Transaction }) {
  const moved = listMoved(transaction);
  return (
    <span className="flex min-w-0 items-baseline justify-end gap-1.5">
      {moved.slice(0, SHOWN).map((transfer) => (
        <Moved key={transfer.index} transfer={transfer} sign={signOf(transaction, transfer)} />
      ))}
      {moved.length > SHOWN && <span className="text-xs text-faint">+{moved.length - SHOWN}</span>}
      {moved.length === 0 && <span className="text-faint">fee only</span>}
    </span>
  );
}

/** The transfers of addresses of the project; where it has none of these, all. */
export function listMoved({ transfers }: Transaction): readonly Transfer[] {
  const own = transfers.filter(({ monitored_addresses }) => monitored_addresses.length > 0);
  return own.length > 0 ? own : transfers;
}

export function Moved({ transfer, sign }: { readonly transfer: Transfer; readonly sign: '+' | '−' | '' }) {
  const symbol = useSymbol(transfer.asset_gid);
  if (transfer.type === 'nft')
    return (
      <span>
        NFT <span className="text-faint">{symbol}</span>
      </span>
    );
  return <Amount value={transfer.amount} raw={transfer.amount_raw} symbol={symbol} sign={sign} />;
}

export function signOf(
  { direction }: Transaction,
  { to, from, monitored_addresses: own }: Transfer,
): '+' | '−' | '' {
  if (direction === 'self') return '';
  if (to !== null && own.includes(to)) return from !== null && own.includes(from) ? '' : '+';
  return from !== null && own.includes(from) ? '−' : '';
}
