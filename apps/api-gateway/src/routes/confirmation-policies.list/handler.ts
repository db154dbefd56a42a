// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { toListOrder } from '../../lists/list-order.ts';
import { readList } from '../../lists/read-list.ts';
import { confirmationPolicySchema, toPolicyRecord } from '../../records/confirmation-policy.ts';
import { defineRoute } from '../../define-route.ts';

const GID = { name: 'chain_gid', type: 'text' } as const;
const ORDERS = { chain_gid: GID, created_at: { name: 'created_at', type: 'timestamptz' } } as const;

export const listConfirmationPolicies = defineRoute({
  method: 'GET',
  path: '/confirmation_policies',
  permission: 'api:confirmation_policy:read',
  reads: 'standby',
  summary: 'Confirmation policies of the project; other chains follow their own rule',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['chain_gid', 'created_at'], 'chain_gid'),
    chain_gids: listParameter(chainGidSchema),
  }),
  responses: { 200: pageSchema(confirmationPolicySchema) },
  handle: async ({ query, principal }, deps) => {
    const { projectId } = principal;
    const list = {
      from: 'confirmation_policies',
      // A project has one for each chain.
      id: 'chain_gid',
      wanted: { project_id: [projectId], chain_gid: query.chain_gids?.map(normalizeChainGid) },
      order: toListOrder(query.sort_by, ORDERS, [GID]),
    } as const;
    const read = async (gids: string[]) => {
      const rows = await deps.prisma.confirmationPolicy.findMany({
        where: { projectId, chainGid: { in: gids } },
      });
      const byGid = new Map(rows.map((row) => [row.chainGid, row]));
      return gids.flatMap((gid) => byGid.get(gid) ?? []).map(toPolicyRecord);
    };
    const page = { principal, name: 'confirmation_policies', query };
    return { status: 200, body: await readList(deps, { call: page, list, read }) };
  },
});
