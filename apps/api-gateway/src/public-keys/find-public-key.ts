// SPDX-License-Identifier: Apache-2.0
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import type { PublicKeyRow } from '../records/public-key.ts';

/** @throws ProblemError 404, also when it is another project's */
export async function findPublicKey(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  principal: Principal,
  id: string,
): Promise<PublicKeyRow> {
  const row = await prisma.publicKey.findFirst({ where: { id, projectId: principal.projectId } });
  if (!row) throw notFound(`There is no public key ${id} in this project.`);
  return row;
}
