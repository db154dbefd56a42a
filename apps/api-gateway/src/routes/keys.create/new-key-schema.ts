// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { keyTypeOf } from '../../auth/key-type-of.ts';
import { keyTypeSchema, permissionSchema } from '../../records/key.ts';
import { nameSchema, timestampSchema } from '../../records/path-schemas.ts';

export const newKeySchema = z
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
