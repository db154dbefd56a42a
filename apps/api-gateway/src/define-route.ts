import { routeFactory } from '@chainwatch/http';
import type { ApiDeps } from './api-deps.ts';
import type { Principal } from './auth/principal.ts';

export const defineRoute = routeFactory<ApiDeps, Principal>();
