// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { findChain } from '../../chains/find-chain.ts';
import {
  incidentSchema,
  incidentStatusSchema,
  storedStatuses,
  toIncidentRecord,
} from '../../records/incident.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';

export const listIncidents = defineRoute({
  method: 'GET',
  path: '/blockchains/:chain_gid/incidents',
  permission: 'api:blockchain:read',
  reads: 'standby',
  summary: 'What this release does not know in the blocks of a chain, and what it set aside',
  params: chainParams,
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at'], '-created_at'),
    statuses: listParameter(incidentStatusSchema),
  }),
  responses: { 200: pageSchema(incidentSchema) },
  handle: async ({ params, query, principal }, deps) => {
    const { gid } = await findChain(deps, params.chain_gid);
    const list = {
      from: 'incidents',
      id: 'id',
      wanted: { chain_gid: [gid], status: storedStatuses(query.statuses) },
      // What concerns other projects alone is for the operator.
      matches: (add: (value: unknown) => string) =>
        principal.isOperator
          ? []
          : [
              `(project_id IS NULL OR project_id = ${add(principal.projectId)})`,
              // It names events of several projects.
              `kind NOT LIKE 'decimals:%'`,
            ],
      order: toListOrder(query.sort_by, { created_at: { name: 'created_at', type: 'timestamptz' } }, [
        { name: 'id', type: 'uuid' },
      ]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.incident.findMany({ where: { id: { in: ids } } })).map((row) =>
        toIncidentRecord(row, deps.settings.upgrades),
      );
    const call = { principal, name: `incidents ${gid}`, query };
    return { status: 200, body: await readList(deps, { call, list, read }) };
  },
});
