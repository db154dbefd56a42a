// SPDX-License-Identifier: Apache-2.0
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { RouteProblem } from '../app/route-problem.tsx';
import { listOf, withoutEmpty } from '../app/search-params.ts';
import { PortalChannel, PortalDelivery } from './portal-channel.tsx';
import { PortalChannels } from './portal-channels.tsx';
import { PortalShell } from './portal-shell.tsx';

/** The pages below a session's own address. Their paths are the dashboard's, so that its parts lead from one to another. */
export function createPortalRouter(sessionId: string) {
  const root = createRootRoute({
    component: () => <PortalShell sessionId={sessionId} />,
    errorComponent: RouteProblem,
    notFoundComponent: PortalChannels,
  });
  const parent = () => root;
  const channels = createRoute({ getParentRoute: parent, path: '/', component: PortalChannels });
  const channel = createRoute({
    getParentRoute: parent,
    path: '/channels/$id',
    validateSearch: (search): { statuses?: readonly string[] } =>
      withoutEmpty({ statuses: listOf(search.statuses) }),
    component: PortalChannel,
  });
  const delivery = createRoute({
    getParentRoute: parent,
    path: '/channels/$id/deliveries/$deliveryId',
    component: PortalDelivery,
  });
  return createRouter({
    basepath: `/ui/portal/${sessionId}`,
    routeTree: root.addChildren([channels, channel, delivery]),
  });
}
