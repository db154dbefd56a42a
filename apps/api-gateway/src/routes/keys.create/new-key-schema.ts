import { z } from 'zod';
import { keyTypeOf } from '../../permissions.ts';
import { keyTypeSchema, permissionSchema } from '../../records/key.ts';
import { nameSchema, timestampSchema } from '../../records/path-schemas.ts';

export const newKeySchema = z
  .strictObject({
    type: keyTypeSchema,
    name: nameSchema,
    /** Of an api key, which belongs to one project; the others belong to the workspace. */
    project_id: z.uuid().nullish(),
    /** Fixed for the life of the key. */
    permissions: z.array(permissionSchema).min(1).max(100).transform((names) => [...new Set(names)]),
    expires_at: timestampSchema.refine((date) => date.getTime() > Date.now(), { error: 'expected a time in the future' }).nullish(),
  })
  .superRefine(({ type, project_id, permissions }, ctx) => {
    const refuse = (path: (string | number)[], message: string): void => ctx.addIssue({ code: 'custom', path, message });
    const hasProject = project_id !== undefined && project_id !== null;
    if (type === 'api' && !hasProject) refuse(['project_id'], 'expected the project of the api key, got nothing');
    if (type !== 'api' && hasProject) refuse(['project_id'], `expected nothing, as ${type} keys belong to the workspace, got a project`);
    const foreign = permissions.filter((permission) => keyTypeOf(permission) !== type);
    if (foreign.length > 0) refuse(['permissions'], `expected permissions of ${type} keys, got ${foreign.join(', ')}`);
  });
