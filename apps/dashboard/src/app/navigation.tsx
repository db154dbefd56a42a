// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import { usePlaces, type Place } from './places.ts';

export function Navigation() {
  return (
    <nav aria-label="Pages" className="flex flex-1 flex-col gap-3 overflow-y-auto">
      {usePlaces().map((group) => (
        <ul key={group[0]!.to} className="flex flex-col gap-0.5">
          {group.map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
        </ul>
      ))}
    </nav>
  );
}

function PlaceLink({ place: { to, name, icon: Icon } }: { readonly place: Place }) {
  return (
    <li>
      <Link
        to={to}
        activeOptions={{ exact: to === '/' }}
        className="flex h-8.5 items-center gap-2.5 rounded-md px-2.5 text-[13px] font-medium text-soft transition-colors hover:bg-hover hover:text-ink"
        activeProps={{ className: 'bg-accent-wash !text-accent-ink' }}
      >
        <Icon aria-hidden className="size-4" />
        {name}
      </Link>
    </li>
  );
}
