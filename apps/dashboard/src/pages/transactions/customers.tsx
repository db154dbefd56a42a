// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import type { Transaction } from '../../api/queries.ts';
import { shorten } from '../../ui/copy.tsx';

const SHOWN = 10;

/** Whose payment it is: addresses of the project by their labels, with their groups. */
export function Customers({ transaction: { addresses } }: { readonly transaction: Transaction }) {
  return (
    <ul className="flex flex-col gap-1">
      {addresses.slice(0, SHOWN).map(({ address_id: id, address, label, groups }) => (
        <li key={id} className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <Link
            to="/addresses/$address"
            params={{ address }}
            title={address}
            className={`min-w-0 break-words text-accent-ink hover:underline ${label === null ? 'font-mono' : 'font-medium'}`}
          >
            {label ?? shorten(address)}
          </Link>
          {groups.map((group) => (
            <Link
              key={group}
              to="/transactions"
              search={{ groups: [group] }}
              className="rounded bg-sunken px-1.5 py-0.5 text-xs text-soft hover:text-ink"
            >
              {group}
            </Link>
          ))}
        </li>
      ))}
      {addresses.length > SHOWN && <li className="text-soft">{addresses.length - SHOWN} more addresses</li>}
    </ul>
  );
}
