// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../server/define-route.ts';
import { checkGrants, checkOperatorGrants } from '../../management/check-grants.ts';
import { findKey } from '../../management/find-key.ts';
import { lockProject } from '../../management/find-project.ts';
import { requireQuota } from '../../management/take-quota.ts';
import { insertKey } from '../../management/insert-key.ts';
import { createdKeySchema, toKeyRecord } from '../../records/key.ts';
import { newKeySchema } from './new-key-schema.ts';

export const createKey = defineRoute({
  method: 'POST',
  path: '/management/keys',
  permission: 'mgt:key:write',
  summary: 'Make a key; its text is in this answer only',
  body: newKeySchema,
  example: {
    type: 'api',
    name: 'Backend',
    project_id: '6f1d1f4e-0000-4000-8000-000000000001',
    permissions: ['api:address:read'],
  },
  responses: { 201: createdKeySchema },
  problems: [404, 422],
  handle: async ({ body, principal, requestId }, deps) => {
    checkGrants(principal, body.permissions);
    checkOperatorGrants(principal, body.permissions);
    const projectId = body.project_id ?? null;
    const { id, key } = await deps.db.transaction(async (sql) => {
      if (projectId !== null) await lockProject(sql, { principal, id: projectId, strength: 'KEY SHARE' });
      await requireQuota(sql, principal.workspaceId, 'keys');
      return insertKey(sql, {
        author: { principal, requestId },
        label: deps.settings.namespaceLabel,
        added: {
          ...body,
          projectId,
          expiresAt: body.expires_at ?? null,
        },
      });
    });
    return {
      status: 201,
      body: { ...toKeyRecord(await findKey(deps, principal, id)), key },
      location: `/management/keys/${id}`,
    };
  },
});
