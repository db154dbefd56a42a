// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { checkRole } from '../../management/check-grants.ts';
import { findMember } from '../../management/find-member.ts';
import { lockMembers } from '../../management/lock-members.ts';
import { recordChange } from '../../management/record-change.ts';
import { emailSchema, memberParams, memberSchema, roleSchema, toMemberRecord } from '../../records/member.ts';

export const updateMember = defineRoute({
  method: 'PATCH',
  path: '/management/members/:member_id',
  permission: 'mgt:member:write',
  summary: "Change a member's email address or role; the last owner stays one",
  params: memberParams,
  body: z
    .strictObject({
      email: emailSchema
        .optional()
        .meta({ description: 'Of the person; upper case counts as lower.', examples: ['ada@example.com'] }),
      role: roleSchema.optional().meta({ description: 'What the member is to be.' }),
    })
    .refine((body) => Object.keys(body).length > 0, { error: 'expected at least one of email, role' }),
  example: { role: 'admin' },
  responses: { 200: memberSchema },
  problems: [409, 422],
  handle: async ({ params, body, principal, requestId }, deps) => {
    await deps.db.transaction(async (sql) => {
      const members = await lockMembers(sql, principal);
      const { id, ...from } = await members.get(params.member_id);
      const to = { email: body.email ?? from.email, role: body.role ?? from.role };
      if (to.email === from.email && to.role === from.role) return;
      checkRole(principal, to.role);
      if (to.email !== from.email) await members.expectFree(to.email);
      if (from.role === 'owner' && to.role !== 'owner') await members.expectAnotherOwner(id);
      await recordChange(sql, { principal, requestId }, { action: 'member.updated', targetId: id, from, to });
      await sql.query('UPDATE members SET email = $2, role = $3, updated_at = now() WHERE id = $1', [
        id,
        to.email,
        to.role,
      ]);
    });
    return { status: 200, body: toMemberRecord(await findMember(deps, principal, params.member_id)) };
  },
});
