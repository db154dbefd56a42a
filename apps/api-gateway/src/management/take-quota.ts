// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { unprocessableEntity } from '@chainwatch/common/problem';
import type { ProblemError } from '@chainwatch/common/problem';
import type { Quota } from '../records/quotas.ts';

/** What is counted in the database when it is added. */
type CountedQuota = Exclude<Quota, 'streams'>;

interface Room {
  /** How many of the wanted rows the transaction may add. */
  readonly room: number;
  /** For what it may not. */
  readonly problem: ProblemError;
}

/**
 * Part of the transaction that adds rows, before it does: others of the workspace wait until it ends where the quota is
 * near (prisma/sql/quotas.sql).
 */
export async function takeQuota(
  sql: Sql,
  {
    workspaceId,
    quota,
    wanted,
  }: { readonly workspaceId: string; readonly quota: CountedQuota; readonly wanted: number },
): Promise<Room> {
  const { rows } = await sql.query<{ room: number; most: number }>(
    'SELECT take_quota($1, $2, $3) AS room, quota_of($1, $2) AS most',
    [workspaceId, quota, wanted],
  );
  const { room, most } = rows[0]!;
  return {
    room,
    problem: unprocessableEntity(
      `The workspace may have ${most.toLocaleString('en')} ${quota.replace('_', ' ')}, which is its quota of ${quota}: delete some, or ask the operator for more.`,
    ),
  };
}

/** The same for one row. @throws ProblemError 422 */
export async function requireQuota(sql: Sql, workspaceId: string, quota: CountedQuota): Promise<void> {
  const { room, problem } = await takeQuota(sql, { workspaceId, quota, wanted: 1 });
  if (room < 1) throw problem;
}

export async function readQuota(sql: Sql, workspaceId: string, quota: Quota): Promise<number> {
  const { rows } = await sql.query<{ most: number }>('SELECT quota_of($1, $2) AS most', [workspaceId, quota]);
  return rows[0]!.most;
}
