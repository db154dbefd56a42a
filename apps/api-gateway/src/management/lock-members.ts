// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { conflict, unprocessableEntity } from '@chainwatch/common/problem';
import { missingMember } from './find-member.ts';

interface LockedMember {
  readonly id: string;
  readonly email: string;
  readonly role: string;
}

interface LockedMembers {
  /** @throws ProblemError 404 */
  get(id: string): Promise<LockedMember>;
  /** @throws ProblemError 409 if another member has this email address */
  expectFree(email: string): Promise<void>;
  /** @throws ProblemError 422 when nobody else owns the workspace */
  expectAnotherOwner(id: string): Promise<void>;
}

/**
 * Members of a workspace change one at a time: otherwise two owners could leave at once, and the workspace would have
 * none.
 */
export async function lockMembers(sql: Sql, { workspaceId }: Principal): Promise<LockedMembers> {
  await sql.query('SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId]);
  const find = async (condition: string, value: string): Promise<LockedMember | undefined> => {
    const { rows } = await sql.query<LockedMember>(
      `SELECT id, email, role FROM members WHERE workspace_id = $1 AND ${condition} LIMIT 1`,
      [workspaceId, value],
    );
    return rows[0];
  };
  return {
    async get(id) {
      const member = await find('id = $2', id);
      if (!member) throw missingMember(id);
      return member;
    },
    async expectFree(email) {
      if (await find('email = $2', email))
        throw conflict('A member of this workspace has this email address already.');
    },
    async expectAnotherOwner(id) {
      if (!(await find(`role = 'owner' AND id <> $2`, id)))
        throw unprocessableEntity('The last owner of a workspace stays: make another member an owner first.');
    },
  };
}
