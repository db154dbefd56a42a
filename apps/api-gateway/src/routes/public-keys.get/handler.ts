// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { findPublicKey } from '../../public-keys/find-public-key.ts';
import { readPublicKeys } from '../../public-keys/read-public-keys.ts';
import { publicKeyParams, publicKeySchema } from '../../records/public-key.ts';

export const getPublicKey = defineRoute({
  method: 'GET',
  path: '/public_keys/:public_key_id',
  permission: 'api:public_key:read',
  summary: 'One extended public key',
  params: publicKeyParams,
  responses: { 200: publicKeySchema },
  handle: async ({ params, principal }, deps) => {
    const [body] = await readPublicKeys(deps.db, [
      await findPublicKey(deps, principal, params.public_key_id),
    ]);
    return { status: 200, body };
  },
});
