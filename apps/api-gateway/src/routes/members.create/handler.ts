// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { checkRole } from '../../management/check-grants.ts';
import { findMember } from '../../management/find-member.ts';
import { lockMembers } from '../../management/lock-members.ts';
import { requireQuota } from '../../management/take-quota.ts';
import { recordChange } from '../../management/record-change.ts';
import { emailSchema, memberSchema, roleSchema, toMemberRecord } from '../../records/member.ts';

export const createMember = defineRoute({
  method: 'POST',
  path: '/management/members',
  permission: 'mgt:member:write',
  summary: 'Add a member to the workspace',
  body: z.strictObject({
    email: emailSchema.meta({
      description: 'Of the person; upper case counts as lower.',
      examples: ['ada@example.com'],
    }),
    role: roleSchema.meta({ description: 'What the member is to be.' }),
  }),
  example: { email: 'ada@example.com', role: 'developer' },
  responses: { 201: memberSchema },
  problems: [409, 422],
  handle: async ({ body, principal, requestId }, deps) => {
    checkRole(principal, body.role);
    const id = await deps.db.transaction(async (sql) => {
      const members = await lockMembers(sql, principal);
      await members.expectFree(body.email);
      await requireQuota(sql, principal.workspaceId, 'members');
      const { rows } = await sql.query<{ id: string }>(
        'INSERT INTO members (workspace_id, email, role) VALUES ($1, $2, $3) RETURNING id',
        [principal.workspaceId, body.email, body.role],
      );
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'member.created', targetId: rows[0]!.id, to: body },
      );
      return rows[0]!.id;
    });
    return {
      status: 201,
      body: toMemberRecord(await findMember(deps, principal, id)),
      location: `/management/members/${id}`,
    };
  },
});
