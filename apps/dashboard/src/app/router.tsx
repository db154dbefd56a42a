import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ApiError, listenForSignOut } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFoundPage } from '../pages/not-found.tsx';
import { SignInPage } from '../pages/sign-in.tsx';
import { queryClient } from './query-client.ts';
import { listOf, textOf, toAddressSearch, toTransactionSearch, withoutEmpty } from './search-params.ts';
import { Shell } from './shell.tsx';
import { RouteProblem } from './route-problem.tsx';

const root = createRootRoute({ notFoundComponent: NotFoundPage });

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { to?: string } => withoutEmpty({ to: textOf(search.to) }),
  component: SignInPage,
});

/** Every page behind the sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  errorComponent: RouteProblem,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        redirect({ to: '/sign-in', search: { to: location.href }, throw: true });
      throw error;
    }
  },
});

const parent = () => shell;

const overviewRoute = createRoute({
  getParentRoute: parent,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview.tsx'), 'OverviewPage'),
});

const transactionsRoute = createRoute({
  getParentRoute: parent,
  path: '/transactions',
  validateSearch: toTransactionSearch,
  component: lazyRouteComponent(() => import('../pages/transactions/transactions.tsx'), 'TransactionsPage'),
});

const transactionRoute = createRoute({
  getParentRoute: parent,
  path: '/transactions/$id',
  component: lazyRouteComponent(() => import('../pages/trace/trace.tsx'), 'TracePage'),
});

const addressesRoute = createRoute({
  getParentRoute: parent,
  path: '/addresses',
  validateSearch: toAddressSearch,
  component: lazyRouteComponent(() => import('../pages/addresses/addresses.tsx'), 'AddressesPage'),
});

const addressRoute = createRoute({
  getParentRoute: parent,
  path: '/addresses/$address',
  component: lazyRouteComponent(() => import('../pages/addresses/address.tsx'), 'AddressPage'),
});

const channelsRoute = createRoute({
  getParentRoute: parent,
  path: '/channels',
  component: lazyRouteComponent(() => import('../pages/channels/channels.tsx'), 'ChannelsPage'),
});

const channelRoute = createRoute({
  getParentRoute: parent,
  path: '/channels/$id',
  validateSearch: (search): { statuses?: readonly string[] } =>
    withoutEmpty({ statuses: listOf(search.statuses) }),
  component: lazyRouteComponent(() => import('../pages/channels/channel.tsx'), 'ChannelPage'),
});

const deliveryRoute = createRoute({
  getParentRoute: parent,
  path: '/channels/$id/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('../pages/deliveries/delivery.tsx'), 'DeliveryPage'),
});

const eventRoute = createRoute({
  getParentRoute: parent,
  path: '/events/$id',
  component: lazyRouteComponent(() => import('../pages/events/event.tsx'), 'EventPage'),
});

const chainsRoute = createRoute({
  getParentRoute: parent,
  path: '/chains',
  component: lazyRouteComponent(() => import('../pages/chains/chains.tsx'), 'ChainsPage'),
});

const keysRoute = createRoute({
  getParentRoute: parent,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/keys/keys.tsx'), 'KeysPage'),
});

export const router = createRouter({
  basepath: '/ui',
  defaultPreload: 'intent',
  scrollRestoration: true,
  routeTree: root.addChildren([
    signInRoute,
    shell.addChildren([
      overviewRoute,
      transactionsRoute,
      transactionRoute,
      addressesRoute,
      addressRoute,
      channelsRoute,
      channelRoute,
      deliveryRoute,
      eventRoute,
      chainsRoute,
      keysRoute,
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
