// SPDX-License-Identifier: Apache-2.0
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import type { KeyRow } from '../records/key.ts';

/** @throws ProblemError 404, also when it is another workspace's */
export async function findKey(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  principal: Principal,
  id: string,
): Promise<KeyRow> {
  const row = await prisma.apiKey.findFirst({ where: { id, workspaceId: principal.workspaceId } });
  if (!row) throw notFound(`There is no key ${id} in this workspace.`);
  return row;
}
