// SPDX-License-Identifier: Apache-2.0
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { notFound } from '@chainwatch/common/problem';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

export const deleteConfirmationPolicy = defineRoute({
  method: 'DELETE',
  path: '/confirmation_policies/:chain_gid',
  permission: 'api:confirmation_policy:write',
  summary: 'Let the chain decide again for transactions that are detected from now on',
  params: chainParams,
  responses: { 204: undefined },
  handle: async ({ params, principal }, { prisma }) => {
    const chainGid = normalizeChainGid(params.chain_gid);
    const { count } = await prisma.confirmationPolicy.deleteMany({
      where: { projectId: principal.projectId, chainGid },
    });
    if (count === 0) throw notFound(`The project has no confirmation policy of ${chainGid}.`);
    return { status: 204 };
  },
});
