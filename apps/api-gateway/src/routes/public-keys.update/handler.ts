// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { findPublicKey } from '../../public-keys/find-public-key.ts';
import { readPublicKeys } from '../../public-keys/read-public-keys.ts';
import { labelSchema } from '../../records/address-input.ts';
import { publicKeyParams, publicKeySchema } from '../../records/public-key.ts';

export const updatePublicKey = defineRoute({
  method: 'PATCH',
  path: '/public_keys/:public_key_id',
  permission: 'api:public_key:write',
  summary: "Change a public key's label",
  params: publicKeyParams,
  body: z.strictObject({
    label: labelSchema
      .nullable()
      .meta({ description: 'Optional name. Null removes it.', examples: ['Deposits'] }),
  }),
  example: { label: 'Deposits' },
  responses: { 200: publicKeySchema },
  handle: async ({ params, body, principal }, deps) => {
    const { id } = await findPublicKey(deps, principal, params.public_key_id);
    await deps.prisma.publicKey.updateMany({
      where: { id },
      data: { label: body.label, updatedAt: new Date() },
    });
    const [record] = await readPublicKeys(deps.db, [await findPublicKey(deps, principal, id)]);
    return { status: 200, body: record };
  },
});
