// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { notFound } from '@chainwatch/common/problem';

export const QUOTAS = [
  'addresses',
  'channels',
  'streams',
  'keys',
  'portal_sessions',
  'projects',
  'members',
] as const;
export type Quota = (typeof QUOTAS)[number];

const limit = (what: string, usual: number) =>
  z
    .int()
    .min(0)
    .meta({ description: `${what} of the workspace, at most.`, examples: [usual] });

/** What a quota may be set to. */
export const quotaMembers = {
  addresses: limit('Addresses, of all projects', 10_000_000),
  channels: limit('Notification channels, of all projects', 1_000),
  streams: limit('Open event streams, of all projects', 100),
  keys: limit('Keys that count, of all types', 1_000),
  portal_sessions: limit('Portal sessions that have not expired, of all projects', 10_000),
  projects: limit('Projects', 1_000),
  members: limit('Members', 1_000),
};

const used = z.int().min(0);
/** Counted in the database. */
const COUNTED = QUOTAS.filter((quota) => quota !== 'streams');

export const quotasSchema = z
  .object({
    workspace_id: z
      .uuid()
      .meta({ description: 'Of the workspace.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    ...quotaMembers,
    used: z
      .object({
        addresses: used.meta({ description: 'Addresses it has.', examples: [1_042] }),
        channels: used.meta({ description: 'Notification channels it has.', examples: [3] }),
        keys: used.meta({ description: 'Keys that are neither revoked nor expired.', examples: [4] }),
        portal_sessions: used.meta({ description: 'Portal sessions that have not expired.', examples: [2] }),
        projects: used.meta({ description: 'Projects it has.', examples: [2] }),
        members: used.meta({ description: 'Members it has.', examples: [5] }),
      })
      .meta({ description: 'What the workspace has at the moment.' }),
  })
  .meta({ id: 'Quotas' });

export const workspaceParams = z.object({ workspace_id: z.uuid() });

/** @throws ProblemError 404 */
export async function readQuotas(sql: Sql, workspaceId: string): Promise<z.infer<typeof quotasSchema>> {
  const { rows } = await sql.query<Record<string, number>>(
    `SELECT ${QUOTAS.map((quota) => `quota_of(id, '${quota}') AS ${quota}`).join(', ')},
       ${COUNTED.map((quota) => `used_of_quota(id, '${quota}') AS used_${quota}`).join(', ')}
     FROM workspaces WHERE id = $1`,
    [workspaceId],
  );
  const [row] = rows;
  if (row === undefined) throw notFound(`There is no workspace ${workspaceId}.`);
  return quotasSchema.parse({
    workspace_id: workspaceId,
    ...row,
    used: Object.fromEntries(COUNTED.map((quota) => [quota, row[`used_${quota}`]])),
  });
}
