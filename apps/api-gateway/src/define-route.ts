// SPDX-License-Identifier: Apache-2.0
import type { Permission } from '@chainwatch/common/api-key';
import { routeFactory } from '@chainwatch/platform/http';
import type { DefineRoute, Route } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import type { ApiDeps } from './api-deps.ts';

/** `any` accepts every valid key (decisions.md §7). */
type Needed = Permission | 'any';

export type ApiRoute = Route<ApiDeps, Principal, Needed>;

/** The part of a route that the documents describe. */
export type RouteDescription = Omit<ApiRoute, 'handle'>;

export const defineRoute: DefineRoute<ApiDeps, Principal, Needed> = routeFactory();
