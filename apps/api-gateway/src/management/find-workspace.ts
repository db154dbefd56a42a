// SPDX-License-Identifier: Apache-2.0
import type { Prisma } from '@chainwatch/data/prisma';
import type { Principal } from '@chainwatch/data/key-store';
import type { ApiDeps } from '../api-deps.ts';

/** The workspace of the key, the only one that it can see. */
export function findWorkspace(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  principal: Principal,
): Promise<Prisma.WorkspaceGetPayload<object>> {
  return prisma.workspace.findUniqueOrThrow({ where: { id: principal.workspaceId } });
}
