// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import type { ProblemError } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import type { ProjectRow } from '../records/project.ts';

/** @throws ProblemError 404, also when it is another workspace's */
export async function findProject(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  principal: Principal,
  id: string,
): Promise<ProjectRow> {
  const row = await prisma.project.findFirst({ where: { id, workspaceId: principal.workspaceId } });
  if (!row) throw missing(id);
  return row;
}

/**
 * The same, locked. `KEY SHARE` prevents its deletion; `UPDATE` also keeps others from adding to it. @throws
 * ProblemError 404
 */
export async function lockProject(
  sql: Sql,
  {
    principal: { workspaceId },
    id,
    strength,
  }: {
    readonly principal: Principal;
    readonly id: string;
    readonly strength: 'KEY SHARE' | 'NO KEY UPDATE' | 'UPDATE';
  },
): Promise<Pick<ProjectRow, 'name'>> {
  const { rows } = await sql.query<Pick<ProjectRow, 'name'>>(
    `SELECT name FROM projects WHERE id = $1 AND workspace_id = $2 FOR ${strength}`,
    [id, workspaceId],
  );
  if (!rows[0]) throw missing(id);
  return rows[0];
}

function missing(id: string): ProblemError {
  return notFound(`There is no project ${id} in this workspace.`);
}
