// SPDX-License-Identifier: Apache-2.0
import type { Principal } from '@chainwatch/data/key-store';
import { notFound, type ProblemError } from '@chainwatch/common/problem';
import type { StatementRow } from '../records/statement.ts';
import type { ApiDeps } from '../api-deps.ts';

/** @throws ProblemError 404, also when it is another project's, or expired and not deleted yet */
export async function findStatement(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  { projectId }: Principal,
  id: string,
): Promise<StatementRow> {
  const row = await prisma.statement.findFirst({
    where: { id, projectId, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
  });
  if (row === null) throw missingStatement(id);
  return row;
}

export function missingStatement(id: string): ProblemError {
  return notFound(`There is no statement ${id} in this project, or it has expired.`);
}
