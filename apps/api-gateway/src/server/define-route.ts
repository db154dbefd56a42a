import type { Permission } from '@chainwatch/api-key';
import { routeFactory } from '@chainwatch/http';
import type { DefineRoute, Route } from '@chainwatch/http';
import type { Principal } from '@chainwatch/key-store';
import type { ApiDeps } from './api-deps.ts';

/** `any` lets every valid key in (decisions.md §7). */
type Needed = Permission | 'any';

export type ApiRoute = Route<ApiDeps, Principal, Needed>;

/** What the documents need of a route. */
export type RouteDescription = Omit<ApiRoute, 'handle'>;

export const defineRoute: DefineRoute<ApiDeps, Principal, Needed> = routeFactory();
