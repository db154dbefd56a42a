import { routeFactory } from '@chainwatch/http';
import type { Principal } from '@chainwatch/key-store';
import type { ApiDeps } from './api-deps.ts';

export const defineRoute = routeFactory<ApiDeps, Principal>();
