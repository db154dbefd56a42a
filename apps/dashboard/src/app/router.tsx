// SPDX-License-Identifier: Apache-2.0
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { ApiError, listenForRefusal, listenForSignOut } from '../api/client.ts';
import { listenForReturn } from '../api/connection.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFoundPage } from '../pages/not-found.tsx';
import { SignInPage } from '../pages/sign-in.tsx';
import { lazyPage } from './lazy-page.tsx';
import { queryClient, readAgain } from './query-client.ts';
import {
  listOf,
  textOf,
  toAddressSearch,
  toAssetSearch,
  toAuditSearch,
  toEventSearch,
  toKeySearch,
  toTransactionSearch,
  withoutEmpty,
} from './search-params.ts';
import { Shell } from './shell.tsx';
import { RouteProblem } from './route-problem.tsx';

const root = createRootRoute({ notFoundComponent: NotFoundPage });

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { to?: string; reason?: string } =>
    withoutEmpty({ to: textOf(search.to), reason: textOf(search.reason) }),
  component: SignInPage,
});

const beforeLoad = async ({ location }: { readonly location: { readonly href: string } }): Promise<void> => {
  try {
    await queryClient.ensureQueryData(sessionQuery);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401)
      redirect({ to: '/sign-in', search: { to: location.href }, throw: true });
    throw error;
  }
};

const workspacesRoute = createRoute({
  getParentRoute: () => root,
  path: '/workspaces',
  validateSearch: (search): { to?: string } => withoutEmpty({ to: textOf(search.to) }),
  errorComponent: RouteProblem,
  beforeLoad,
  component: lazyPage(() => import('../pages/workspaces.tsx'), 'WorkspacesPage'),
});

/** Every page behind the sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  errorComponent: RouteProblem,
  beforeLoad,
});

const parent = () => shell;

const overviewRoute = createRoute({
  getParentRoute: parent,
  path: '/',
  component: lazyPage(() => import('../pages/overview.tsx'), 'OverviewPage'),
});

const transactionsRoute = createRoute({
  getParentRoute: parent,
  path: '/transactions',
  validateSearch: toTransactionSearch,
  component: lazyPage(() => import('../pages/transactions/transactions.tsx'), 'TransactionsPage'),
});

const transactionRoute = createRoute({
  getParentRoute: parent,
  path: '/transactions/$id',
  component: lazyPage(() => import('../pages/trace/trace.tsx'), 'TracePage'),
});

const proofRoute = createRoute({
  getParentRoute: parent,
  path: '/transactions/$id/proof',
  component: lazyPage(() => import('../pages/proof/proof-page.tsx'), 'ProofPage'),
});

const addressesRoute = createRoute({
  getParentRoute: parent,
  path: '/addresses',
  validateSearch: toAddressSearch,
  component: lazyPage(() => import('../pages/addresses/addresses.tsx'), 'AddressesPage'),
});

const addressRoute = createRoute({
  getParentRoute: parent,
  path: '/addresses/$address',
  component: lazyPage(() => import('../pages/addresses/address.tsx'), 'AddressPage'),
});

const channelsRoute = createRoute({
  getParentRoute: parent,
  path: '/channels',
  component: lazyPage(() => import('../pages/channels/channels.tsx'), 'ChannelsPage'),
});

const channelRoute = createRoute({
  getParentRoute: parent,
  path: '/channels/$id',
  validateSearch: (search): { statuses?: readonly string[] } =>
    withoutEmpty({ statuses: listOf(search.statuses) }),
  component: lazyPage(() => import('../pages/channels/channel.tsx'), 'ChannelPage'),
});

const deliveryRoute = createRoute({
  getParentRoute: parent,
  path: '/channels/$id/deliveries/$deliveryId',
  component: lazyPage(() => import('../pages/deliveries/delivery.tsx'), 'DeliveryPage'),
});

const eventRoute = createRoute({
  getParentRoute: parent,
  path: '/events/$id',
  component: lazyPage(() => import('../pages/events/event.tsx'), 'EventPage'),
});

const chainsRoute = createRoute({
  getParentRoute: parent,
  path: '/chains',
  component: lazyPage(() => import('../pages/chains/chains.tsx'), 'ChainsPage'),
});

const keysRoute = createRoute({
  getParentRoute: parent,
  path: '/keys',
  validateSearch: toKeySearch,
  component: lazyPage(() => import('../pages/keys/keys.tsx'), 'KeysPage'),
});

const eventsRoute = createRoute({
  getParentRoute: parent,
  path: '/events',
  validateSearch: toEventSearch,
  component: lazyPage(() => import('../pages/events/events.tsx'), 'EventsPage'),
});

const publicKeysRoute = createRoute({
  getParentRoute: parent,
  path: '/public-keys',
  component: lazyPage(() => import('../pages/public-keys/public-keys.tsx'), 'PublicKeysPage'),
});

const publicKeyRoute = createRoute({
  getParentRoute: parent,
  path: '/public-keys/$id',
  component: lazyPage(() => import('../pages/public-keys/public-key.tsx'), 'PublicKeyPage'),
});

const assetsRoute = createRoute({
  getParentRoute: parent,
  path: '/assets',
  validateSearch: toAssetSearch,
  component: lazyPage(() => import('../pages/assets/assets.tsx'), 'AssetsPage'),
});

const statementsRoute = createRoute({
  getParentRoute: parent,
  path: '/statements',
  validateSearch: (search): { statuses?: readonly string[] } =>
    withoutEmpty({ statuses: listOf(search.statuses) }),
  component: lazyPage(() => import('../pages/statements/statements.tsx'), 'StatementsPage'),
});

const statementRoute = createRoute({
  getParentRoute: parent,
  path: '/statements/$id',
  component: lazyPage(() => import('../pages/statements/statement.tsx'), 'StatementPage'),
});

const reconciliationsRoute = createRoute({
  getParentRoute: parent,
  path: '/reconciliations',
  component: lazyPage(() => import('../pages/reconciliations/reconciliations.tsx'), 'ReconciliationsPage'),
});

const reconciliationRoute = createRoute({
  getParentRoute: parent,
  path: '/reconciliations/$id',
  validateSearch: (search): { classes?: readonly string[] } =>
    withoutEmpty({ classes: listOf(search.classes) }),
  component: lazyPage(() => import('../pages/reconciliations/reconciliation.tsx'), 'ReconciliationPage'),
});

const chainRoute = createRoute({
  getParentRoute: parent,
  path: '/chains/$gid',
  component: lazyPage(() => import('../pages/chains/chain.tsx'), 'ChainPage'),
});

const membersRoute = createRoute({
  getParentRoute: parent,
  path: '/members',
  component: lazyPage(() => import('../pages/workspace/members.tsx'), 'MembersPage'),
});

const projectsRoute = createRoute({
  getParentRoute: parent,
  path: '/projects',
  component: lazyPage(() => import('../pages/workspace/projects.tsx'), 'ProjectsPage'),
});

const auditRoute = createRoute({
  getParentRoute: parent,
  path: '/audit',
  validateSearch: toAuditSearch,
  component: lazyPage(() => import('../pages/workspace/audit-log.tsx'), 'AuditLogPage'),
});

const gatewayRoute = createRoute({
  getParentRoute: parent,
  path: '/gateway',
  component: lazyPage(() => import('../pages/gateway/gateway.tsx'), 'GatewayPage'),
});

const playgroundRoute = createRoute({
  getParentRoute: parent,
  path: '/playground',
  component: lazyPage(() => import('../pages/playground/playground.tsx'), 'PlaygroundPage'),
});

export const router = createRouter({
  basepath: '/ui',
  defaultPreload: 'intent',
  scrollRestoration: true,
  routeTree: root.addChildren([
    signInRoute,
    workspacesRoute,
    shell.addChildren([
      overviewRoute,
      transactionsRoute,
      transactionRoute,
      proofRoute,
      addressesRoute,
      addressRoute,
      channelsRoute,
      channelRoute,
      deliveryRoute,
      eventRoute,
      chainsRoute,
      keysRoute,
      eventsRoute,
      publicKeysRoute,
      publicKeyRoute,
      assetsRoute,
      statementsRoute,
      statementRoute,
      reconciliationsRoute,
      reconciliationRoute,
      chainRoute,
      membersRoute,
      projectsRoute,
      auditRoute,
      gatewayRoute,
      playgroundRoute,
    ]),
  ]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

listenForSignOut(() => {
  if (router.state.location.pathname.endsWith('/sign-in')) return;
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { to: router.state.location.href } });
});

listenForRefusal(() => void queryClient.invalidateQueries(sessionQuery));

listenForReturn(() => void readAgain().then(() => router.invalidate()));
