// SPDX-License-Identifier: Apache-2.0
import { notFound } from '@chainwatch/common/problem';
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { findPublicKey } from '../../public-keys/find-public-key.ts';
import { generateNextAddress } from '../../public-keys/generate-addresses.ts';
import { readGenerated } from '../../public-keys/read-generated.ts';
import { hdAddressSchema } from '../../records/address.ts';
import { publicKeyParams } from '../../records/public-key.ts';

export const createNextAddress = defineRoute({
  method: 'POST',
  path: '/public_keys/:public_key_id/addresses/next',
  permission: 'api:address:write',
  summary: 'Generate the HD address at the highest existing index plus one',
  params: publicKeyParams,
  body: z
    .strictObject({
      change: z
        .literal([0, 1])
        .default(0)
        .meta({ description: '0: receive, 1: change.', examples: [0] }),
    })
    .prefault({}),
  example: { change: 0 },
  responses: { 201: hdAddressSchema },
  problems: [409, 422],
  handle: async ({ params, body, principal, requestId, signal }, deps) => {
    const key = await findPublicKey(deps, principal, params.public_key_id);
    const { indexes } = await generateNextAddress(deps, {
      key,
      change: body.change,
      author: { principal, requestId },
      signal,
    });
    const [record] = await readGenerated(deps.db, { key, change: body.change, indexes });
    if (record === undefined) throw notFound(`The public key ${key.id} was deleted meanwhile.`);
    return { status: 201, body: record, location: `/addresses/${record.address}` };
  },
});
