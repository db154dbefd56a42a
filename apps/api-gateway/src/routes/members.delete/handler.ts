// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { lockMembers } from '../../management/lock-members.ts';
import { recordChange } from '../../management/record-change.ts';
import { memberParams } from '../../records/member.ts';

export const deleteMember = defineRoute({
  method: 'DELETE',
  path: '/management/members/:member_id',
  permission: 'mgt:member:write',
  summary: 'Remove a member from the workspace; the last owner stays',
  params: memberParams,
  responses: { 204: undefined },
  problems: [422],
  handle: async ({ params, principal, requestId }, deps) => {
    await deps.db.transaction(async (sql) => {
      const members = await lockMembers(sql, principal);
      const { id, ...from } = await members.get(params.member_id);
      if (from.role === 'owner') await members.expectAnotherOwner(id);
      await recordChange(sql, { principal, requestId }, { action: 'member.deleted', targetId: id, from });
      await sql.query('DELETE FROM members WHERE id = $1', [id]);
    });
    return { status: 204 };
  },
});
