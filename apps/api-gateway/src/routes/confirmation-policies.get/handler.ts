// SPDX-License-Identifier: Apache-2.0
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { notFound } from '@chainwatch/common/problem';
import { confirmationPolicySchema, toPolicyRecord } from '../../records/confirmation-policy.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

export const getConfirmationPolicy = defineRoute({
  method: 'GET',
  path: '/confirmation_policies/:chain_gid',
  permission: 'api:confirmation_policy:read',
  summary: "The project's confirmation policy of a chain",
  params: chainParams,
  responses: { 200: confirmationPolicySchema },
  handle: async ({ params, principal }, { prisma }) => {
    const chainGid = normalizeChainGid(params.chain_gid);
    const row = await prisma.confirmationPolicy.findFirst({
      where: { projectId: principal.projectId, chainGid },
    });
    if (!row) throw notFound(`The project has no confirmation policy of ${chainGid}.`);
    return { status: 200, body: toPolicyRecord(row) };
  },
});
