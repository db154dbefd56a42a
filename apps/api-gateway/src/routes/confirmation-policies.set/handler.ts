// SPDX-License-Identifier: Apache-2.0
import { unprocessableEntity } from '@chainwatch/common/problem';
import { findChain, loadFamily } from '../../chains/find-chain.ts';
import {
  confirmationPolicySchema,
  policyInputSchema,
  toPolicyRecord,
} from '../../records/confirmation-policy.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

export const setConfirmationPolicy = defineRoute({
  method: 'PUT',
  path: '/confirmation_policies/:chain_gid',
  permission: 'api:confirmation_policy:write',
  summary: 'Say when transactions of the project that are detected from now on are confirmed on a chain',
  params: chainParams,
  body: policyInputSchema,
  example: { type: 'depth', depth: 20 },
  responses: { 200: confirmationPolicySchema },
  problems: [404, 422],
  handle: async ({ params, body, principal }, deps) => {
    const { gid: chainGid } = await findChain(deps, params.chain_gid);
    const { network } = await loadFamily(chainGid);
    const { depth: least } = network.confirmation;
    if (body.type === 'depth' && body.depth < least && body.unsafe !== true)
      throw unprocessableEntity(
        `${chainGid} has ${least} confirmations by default, got a depth of ${body.depth}: a reorg may undo what is confirmed earlier. Say "unsafe": true if that is wanted.`,
      );
    const { projectId } = principal;
    const depth = body.type === 'depth' ? body.depth : null;
    const row = await deps.prisma.confirmationPolicy.upsert({
      where: { projectId_chainGid: { projectId, chainGid } },
      create: { projectId, chainGid, depth },
      update: { depth, updatedAt: new Date() },
    });
    return { status: 200, body: toPolicyRecord(row) };
  },
});
