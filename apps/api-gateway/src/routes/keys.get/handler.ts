// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { findKey } from '../../management/find-key.ts';
import { keyParams, keySchema, toKeyRecord } from '../../records/key.ts';

export const getKey = defineRoute({
  method: 'GET',
  path: '/management/keys/:key_id',
  permission: 'mgt:key:read',
  summary: 'One key, without its text',
  params: keyParams,
  responses: { 200: keySchema },
  handle: async ({ params, principal }, deps) => ({
    status: 200,
    body: toKeyRecord(await findKey(deps, principal, params.key_id)),
  }),
});
