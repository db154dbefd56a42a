// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { searchHitSchema } from '../../records/search-hit.ts';
import { defineRoute } from '../../server/define-route.ts';
import { findHits } from './find-hits.ts';

export const search = defineRoute({
  method: 'GET',
  path: '/search',
  permission: 'any',
  summary: 'What an address, hash, id or label belongs to, among what the key may read',
  query: z.strictObject({
    q: z
      .string()
      .trim()
      .min(1)
      .max(256)
      .meta({
        description:
          'An address, a transaction hash or at least its first 6 characters, the id of an event, delivery, attempt, transaction or request, or a part of a label or name.',
        examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
      }),
  }),
  responses: {
    200: z.object({
      items: z
        .array(searchHitSchema)
        .meta({ description: 'At most 8 of each type, what is named exactly first.' }),
    }),
  },
  handle: async ({ query, principal }, { db }) => ({
    status: 200,
    body: { items: await findHits(db, principal, query.q) },
  }),
});
