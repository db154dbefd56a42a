// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { booleanParameter } from '@chainwatch/platform/http';
import { announceAddresses } from '../../addresses/announce-address.ts';
import { defineRoute } from '../../define-route.ts';
import { announceRevokedKeys } from '../../management/announce-revoked-keys.ts';
import { deleteProject as deleteRows } from '../../management/delete-project.ts';
import { projectParams } from '../../records/project.ts';

export const deleteProject = defineRoute({
  method: 'DELETE',
  path: '/management/projects/:project_id',
  permission: 'mgt:project:write',
  summary:
    'Delete a project for good with its keys and history; with `cascade` its addresses, public keys and channels too',
  params: projectParams,
  query: z.strictObject({ cascade: booleanParameter.optional() }),
  responses: { 204: undefined },
  problems: [409],
  handle: async ({ params, query, principal, requestId }, deps) => {
    const projectId = params.project_id;
    const deleted = await deps.db.transaction((sql) =>
      deleteRows(sql, {
        author: { principal, requestId },
        id: projectId,
        isCascading: query.cascade ?? false,
      }),
    );
    announceRevokedKeys(deps, deleted.keys);
    announceAddresses(
      deps,
      deleted.addresses.map((address) => ({ ...address, projectId, isMonitored: false })),
    );
    return { status: 204 };
  },
});
