// SPDX-License-Identifier: Apache-2.0
import type { Prisma } from '@chainwatch/data/prisma';
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';

/** Those that are neither deleted nor expired. */
export const LIVE_RECONCILIATIONS =
  '(SELECT * FROM reconciliations WHERE expires_at > now() AND project_id IS NOT NULL) reconciliations';

/** @throws ProblemError 404 */
export async function findReconciliation(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  { projectId }: Pick<Principal, 'projectId'>,
  id: string,
): Promise<Prisma.ReconciliationGetPayload<object>> {
  const row = await prisma.reconciliation.findFirst({
    where: { id, projectId, expiresAt: { gt: new Date() } },
  });
  if (!row) throw notFound(`There is no reconciliation ${id} in this project.`);
  return row;
}
