import { Link } from '@tanstack/react-router';
import { Activity, ArrowLeftRight, Blocks, KeyRound, Send, Wallet } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useMay } from '../api/session.ts';

interface Place {
  readonly to: '/' | '/transactions' | '/addresses' | '/channels' | '/chains' | '/keys';
  readonly name: string;
  readonly icon: LucideIcon;
  readonly permission: string;
}

const PLACES: readonly Place[] = [
  { to: '/', name: 'Overview', icon: Activity, permission: 'api:event:read' },
  { to: '/transactions', name: 'Transactions', icon: ArrowLeftRight, permission: 'api:transaction:read' },
  { to: '/addresses', name: 'Addresses', icon: Wallet, permission: 'api:address:read' },
  { to: '/channels', name: 'Channels', icon: Send, permission: 'api:notification_channel:read' },
  { to: '/chains', name: 'Chains', icon: Blocks, permission: 'api:blockchain:read' },
  { to: '/keys', name: 'Keys', icon: KeyRound, permission: 'mgt:key:read' },
];

/** Pages that the session may read; others are not named. */
export function Navigation() {
  const may = useMay();
  const shown = PLACES.filter(({ permission }) => may(permission));
  return (
    <nav aria-label="Pages" className="flex-1 overflow-y-auto">
      <ul className="flex flex-col gap-0.5">
        {shown.map(({ to, name, icon: Icon }) => (
          <li key={to}>
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
        ))}
      </ul>
    </nav>
  );
}
