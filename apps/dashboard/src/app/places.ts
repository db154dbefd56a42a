// SPDX-License-Identifier: Apache-2.0
import { useSuspenseQuery } from '@tanstack/react-query';
import {
  Activity,
  ArrowLeftRight,
  Bell,
  Blocks,
  Coins,
  FileCheck,
  FlaskConical,
  FolderKanban,
  GitFork,
  KeyRound,
  Scale,
  ScrollText,
  Send,
  Users,
  Wallet,
  Waypoints,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { sessionQuery, useMay } from '../api/session.ts';

export interface Place {
  readonly to:
    | '/'
    | '/transactions'
    | '/events'
    | '/addresses'
    | '/public-keys'
    | '/assets'
    | '/statements'
    | '/reconciliations'
    | '/channels'
    | '/chains'
    | '/keys'
    | '/projects'
    | '/members'
    | '/audit'
    | '/gateway'
    | '/playground';
  readonly name: string;
  readonly icon: LucideIcon;
  readonly permission: string;
  /** Of the session: without it there is no such page. */
  readonly needs?: 'playground_url';
}

/** Of the project, then of the workspace. */
const PLACES: readonly (readonly Place[])[] = [
  [
    { to: '/', name: 'Overview', icon: Activity, permission: 'api:event:read' },
    { to: '/transactions', name: 'Transactions', icon: ArrowLeftRight, permission: 'api:transaction:read' },
    { to: '/events', name: 'Events', icon: Bell, permission: 'api:event:read' },
    { to: '/addresses', name: 'Addresses', icon: Wallet, permission: 'api:address:read' },
    { to: '/public-keys', name: 'Public keys', icon: GitFork, permission: 'api:public_key:read' },
    { to: '/assets', name: 'Assets', icon: Coins, permission: 'api:asset:read' },
    { to: '/statements', name: 'Statements', icon: FileCheck, permission: 'api:statement:read' },
    {
      to: '/reconciliations',
      name: 'Reconciliation',
      icon: Scale,
      permission: 'api:reconciliation:read',
    },
    { to: '/channels', name: 'Channels', icon: Send, permission: 'api:notification_channel:read' },
    {
      to: '/playground',
      name: 'Playground',
      icon: FlaskConical,
      permission: 'api:address:write',
      needs: 'playground_url',
    },
    { to: '/chains', name: 'Chains', icon: Blocks, permission: 'api:blockchain:read' },
  ],
  [
    { to: '/projects', name: 'Projects', icon: FolderKanban, permission: 'mgt:project:read' },
    { to: '/keys', name: 'Keys', icon: KeyRound, permission: 'mgt:key:read' },
    { to: '/gateway', name: 'RPC gateway', icon: Waypoints, permission: 'mgt:key:read' },
    { to: '/members', name: 'Members', icon: Users, permission: 'mgt:member:read' },
    { to: '/audit', name: 'Audit log', icon: ScrollText, permission: 'mgt:audit:read' },
  ],
];

/** Pages that the session may read, by group; others are not named. */
export function usePlaces(): readonly (readonly Place[])[] {
  const may = useMay();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const isOffered = ({ permission, needs }: Place): boolean =>
    may(permission) && (needs === undefined || session[needs] !== null);
  return PLACES.map((group) => group.filter(isOffered)).filter((group) => group.length > 0);
}
