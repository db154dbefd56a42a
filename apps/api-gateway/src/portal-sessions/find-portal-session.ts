// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import { LIVE_PORTAL_SESSIONS } from '../auth/find-portal.ts';
import { toPortalSessionRecord, type portalSessionSchema } from '../records/portal-session.ts';
import type { ApiDeps } from '../api-deps.ts';

/** @throws ProblemError 404 if it has ended or is another project's; for a portal session, if it is another one */
export async function findPortalSession(
  { db, prisma }: Pick<ApiDeps, 'db' | 'prisma'>,
  { projectId, portal }: Principal,
  id: string,
): Promise<z.infer<typeof portalSessionSchema>> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT id FROM ${LIVE_PORTAL_SESSIONS} WHERE id = $1 AND project_id = $2 AND id = coalesce($3, id)`,
    [id, projectId, portal?.sessionId ?? null],
  );
  const row = rows[0] && (await prisma.portalSession.findUnique({ where: { id: rows[0].id } }));
  if (!row) throw missingPortalSession(id);
  return toPortalSessionRecord(row);
}

export function missingPortalSession(id: string): Error {
  return notFound(`There is no portal session ${id} in this project, or it has ended.`);
}
