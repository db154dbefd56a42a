// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';
import { queryOptions } from '@tanstack/react-query';
import type { AuditSearch, KeySearch } from '../app/search-params.ts';
import { api, bodyOf } from './client.ts';
import { listOptions } from './queries.ts';

type Schemas = components['schemas'];
export type Key = Schemas['Key'];
export type Member = Schemas['Member'];
export type Project = Schemas['Project'];
export type AuditLog = Schemas['AuditLog'];

/** Those that a choice offers. */
const OFFERED = 100;

export const keysQuery = ({ search, types, projects, statuses }: KeySearch = {}) =>
  queryOptions({
    queryKey: ['keys', search, types, projects, statuses],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/management/keys', {
          params: {
            query: {
              search,
              types: types as Key['type'][] | undefined,
              project_ids: projects as string[] | undefined,
              statuses: statuses as Key['status'][] | undefined,
              limit: OFFERED,
            },
          },
          signal,
        }),
      ),
  });

export const membersQuery = listOptions(['members'], (page, signal) =>
  bodyOf(api.GET('/management/members', { params: { query: page }, signal })),
);

export const projectsQuery = listOptions(['projects'], (page, signal) =>
  bodyOf(api.GET('/management/projects', { params: { query: page }, signal })),
);

export const auditQuery = ({ actions, since, until, search }: AuditSearch) =>
  listOptions(['audit', actions, since, until, search], (page, signal) =>
    bodyOf(
      api.GET('/management/audit_logs', {
        params: {
          query: { actions: actions as AuditLog['action'][] | undefined, since, until, search, ...page },
        },
        signal,
      }),
    ),
  );
