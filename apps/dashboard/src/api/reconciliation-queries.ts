// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';
import { queryOptions } from '@tanstack/react-query';
import type { ExportType } from '../ui/export-menu.tsx';
import { api, bodyOf, fileOf } from './client.ts';
import { listOptions } from './queries.ts';

export type Reconciliation = components['schemas']['Reconciliation'];
export type ReconciliationRow = components['schemas']['ReconciliationRow'];
export type RowClass = keyof Reconciliation['counts'];

const MATCHING_MS = 2_000;

export const reconciliationsQuery = listOptions<Reconciliation>(['reconciliations', 'list'], (page, signal) =>
  bodyOf(api.GET('/reconciliations', { params: { query: page }, signal })),
);

export const reconciliationQuery = (id: string) =>
  queryOptions({
    queryKey: ['reconciliations', id],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/reconciliations/{reconciliation_id}', {
          params: { path: { reconciliation_id: id } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? MATCHING_MS : false),
  });

export function isUnderWay(one: Pick<Reconciliation, 'status'> | undefined): boolean {
  return one?.status === 'receiving' || one?.status === 'matching';
}

/** The rows of some classes, of all where none is named. @param status reads them again when the matching ends */
export const reconciliationRowsQuery = (
  id: string,
  { classes, status }: { readonly classes: readonly string[] | undefined; readonly status: string },
) =>
  listOptions<ReconciliationRow>(['reconciliations', id, 'rows', status, classes], (page, signal) =>
    bodyOf(
      api.GET('/reconciliations/{reconciliation_id}/rows', {
        params: {
          path: { reconciliation_id: id },
          query: { ...page, class: classes as RowClass[] | undefined },
        },
        signal,
      }),
    ),
  );

export function exportRows(
  id: string,
  classes: readonly string[] | undefined,
  type: ExportType,
): Promise<Blob> {
  return fileOf(
    api.GET('/reconciliations/{reconciliation_id}/rows', {
      params: { path: { reconciliation_id: id }, query: { class: classes as RowClass[] | undefined } },
      headers: { Accept: type },
      parseAs: 'blob',
    }),
  );
}
