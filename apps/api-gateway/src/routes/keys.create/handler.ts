// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { checkGrants, checkOperatorGrants } from '../../management/check-grants.ts';
import { findKey } from '../../management/find-key.ts';
import { lockProject } from '../../management/find-project.ts';
import { requireQuota } from '../../management/take-quota.ts';
import { insertKey } from '../../management/insert-key.ts';
import { createdKeySchema, toKeyRecord, keyTypeSchema, permissionSchema } from '../../records/key.ts';
import { z } from 'zod';
import { keyTypeOf } from '../../auth/key-type-of.ts';
import { nameSchema, timestampSchema } from '../../records/path-schemas.ts';

const newKeySchema = z
  .strictObject({
    type: keyTypeSchema.meta({
      description:
        'What it is for: `api` the platform API of one project, `rpc` the RPC gateway, `mgt` the management interface.',
    }),
    name: nameSchema.meta({ description: 'Optional name.', examples: ['Backend'] }),
    project_id: z
      .uuid()
      .nullish()
      .meta({
        description: 'The project of an api key; the others belong to the workspace.',
        examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
      }),
    permissions: z
      .array(permissionSchema)
      .min(1)
      .max(100)
      .transform((names) => [...new Set(names)])
      .meta({
        description: 'What it may do, fixed for its life; none that the asking key lacks.',
        examples: [['api:address:read']],
      }),
    expires_at: timestampSchema
      .refine((date) => date.getTime() > Date.now(), { error: 'expected a time in the future' })
      .nullish()
      .meta({ description: 'When it ends. Null or absent: never.', examples: ['2027-01-01T00:00:00Z'] }),
  })
  .superRefine(({ type, project_id, permissions }, ctx) => {
    const refuse = (path: (string | number)[], message: string): void =>
      ctx.addIssue({ code: 'custom', path, message });
    const hasProject = project_id !== undefined && project_id !== null;
    if (type === 'api' && !hasProject)
      refuse(['project_id'], 'expected the project of the api key, got nothing');
    if (type !== 'api' && hasProject)
      refuse(['project_id'], `expected nothing, as ${type} keys belong to the workspace, got a project`);
    const foreign = permissions.filter((permission) => keyTypeOf(permission) !== type);
    if (foreign.length > 0)
      refuse(['permissions'], `expected permissions of ${type} keys, got ${foreign.join(', ')}`);
  });

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
