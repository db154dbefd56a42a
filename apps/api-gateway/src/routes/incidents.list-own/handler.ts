// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import {
  incidentSchema,
  incidentStatusSchema,
  storedStatuses,
  toIncidentRecord,
} from '../../records/incident.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';

export const listOwnIncidents = defineRoute({
  method: 'GET',
  path: '/incidents',
  permission: 'api:event:read',
  reads: 'standby',
  summary: 'What of the project was set aside, so that the rest goes on',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at'], '-created_at'),
    statuses: listParameter(incidentStatusSchema),
    chain_gids: listParameter(chainGidSchema),
  }),
  responses: { 200: pageSchema(incidentSchema) },
  handle: async ({ query, principal }, deps) => {
    const list = {
      from: 'incidents',
      id: 'id',
      wanted: {
        project_id: [principal.projectId],
        status: storedStatuses(query.statuses),
        chain_gid: query.chain_gids,
      },
      order: toListOrder(query.sort_by, { created_at: { name: 'created_at', type: 'timestamptz' } }, [
        { name: 'id', type: 'uuid' },
      ]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.incident.findMany({ where: { id: { in: ids } } })).map((row) =>
        toIncidentRecord(row, deps.settings.upgrades),
      );
    const call = { principal, name: 'incidents', query };
    return { status: 200, body: await readList(deps, { call, list, read }) };
  },
});
