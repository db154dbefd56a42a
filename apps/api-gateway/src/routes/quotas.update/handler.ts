// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { recordChange } from '../../management/record-change.ts';
import { QUOTAS, quotaMembers, quotasSchema, readQuotas, workspaceParams } from '../../records/quotas.ts';
import { defineRoute } from '../../define-route.ts';

const settable = (quota: (typeof QUOTAS)[number]) =>
  quotaMembers[quota].nullish().meta({ ...quotaMembers[quota].meta(), examples: [null] });

const bodySchema = z.strictObject({
  addresses: settable('addresses'),
  channels: settable('channels'),
  streams: settable('streams'),
  keys: settable('keys'),
  portal_sessions: settable('portal_sessions'),
  projects: settable('projects'),
  members: settable('members'),
});

export const updateQuotas = defineRoute({
  method: 'PUT',
  path: '/management/workspaces/:workspace_id/quotas',
  permission: 'mgt:quota:write',
  summary:
    "Set what a workspace may have, by the operator's keys; what is `null` or not named gets its default. What it has already stays",
  params: workspaceParams,
  body: bodySchema,
  example: { addresses: 20_000_000, channels: 50 },
  responses: { 200: quotasSchema },
  handle: async ({ params, body, principal, requestId }, deps) => {
    const id = params.workspace_id;
    const quotas = await deps.db.transaction(async (sql) => {
      const { used: _before, ...from } = await readQuotas(sql, id);
      await sql.query(
        `INSERT INTO workspace_quotas (workspace_id, ${QUOTAS.join(', ')})
         VALUES ($1, ${QUOTAS.map((_, position) => `$${position + 2}`).join(', ')})
         ON CONFLICT (workspace_id) DO UPDATE
         SET ${QUOTAS.map((quota) => `${quota} = excluded.${quota}`).join(', ')}, updated_at = now()`,
        [id, ...QUOTAS.map((quota) => body[quota] ?? null)],
      );
      const after = await readQuotas(sql, id);
      const { used: _used, ...to } = after;
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'workspace.quotas_updated', targetId: id, from, to },
      );
      return after;
    });
    return { status: 200, body: quotas };
  },
});
