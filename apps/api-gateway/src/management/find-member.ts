// SPDX-License-Identifier: Apache-2.0
import type { Prisma } from '@chainwatch/data/prisma';
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';

/** @throws ProblemError 404, also when it is another workspace's */
export async function findMember(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  principal: Principal,
  id: string,
): Promise<Prisma.MemberGetPayload<object>> {
  const row = await prisma.member.findFirst({ where: { id, workspaceId: principal.workspaceId } });
  if (!row) throw missingMember(id);
  return row;
}

export function missingMember(id: string): Error {
  return notFound(`There is no member ${id} in this workspace.`);
}
