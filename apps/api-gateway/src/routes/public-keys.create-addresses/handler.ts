// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { findPublicKey } from '../../public-keys/find-public-key.ts';
import { generateAddresses, generateNextAddress } from '../../public-keys/generate-addresses.ts';
import { ADDRESSES_PER_CALL_MAX, INDEX_MAX } from '../../public-keys/index-limits.ts';
import { readGenerated } from '../../public-keys/read-generated.ts';
import { hdAddressSchema } from '../../records/address.ts';
import { publicKeyParams } from '../../records/public-key.ts';

const indexSchema = z.int().min(0).max(INDEX_MAX);

const bodySchema = z
  .strictObject({
    indexes: z
      .array(indexSchema)
      .min(1)
      .max(ADDRESSES_PER_CALL_MAX)
      .optional()
      .meta({ description: 'These, at most 1,000.', examples: [[0, 1, 2]] }),
    from: indexSchema.optional().meta({ description: 'Or these: the first, with `to`.', examples: [0] }),
    to: indexSchema.optional().meta({ description: 'The last.', examples: [9] }),
    change: z
      .literal([0, 1])
      .default(0)
      .meta({ description: '0: receive, 1: change.', examples: [0] }),
  })
  .superRefine(({ indexes, from, to }, ctx) => {
    const refuse = (name: string, message: string): void =>
      ctx.addIssue({ code: 'custom', path: [name], message });
    if (indexes !== undefined && (from !== undefined || to !== undefined))
      return refuse('indexes', 'expected either indexes or from and to, got both');
    if (from === undefined && to !== undefined)
      return refuse('from', 'expected an index, as to is given, got nothing');
    if (from !== undefined && to === undefined)
      return refuse('to', 'expected an index, as from is given, got nothing');
    if (from === undefined || to === undefined) return;
    if (to < from) return refuse('to', `expected at least ${from}, the value of from, got ${to}`);
    if (to - from >= ADDRESSES_PER_CALL_MAX)
      refuse('to', `expected at most ${ADDRESSES_PER_CALL_MAX} addresses a call, got ${to - from + 1}`);
  })
  .prefault({});

export const createPublicKeyAddresses = defineRoute({
  method: 'POST',
  path: '/public_keys/:public_key_id/addresses',
  permission: 'api:address:write',
  summary: 'Generate HD addresses by a list of indexes, by a range, or the next one',
  params: publicKeyParams,
  body: bodySchema,
  example: { from: 0, to: 9 },
  responses: {
    201: z.object({
      items: z.array(hdAddressSchema).meta({ description: 'All that were asked for, by index.' }),
      created_count: z.int().meta({ description: 'How many of them are new.', examples: [1] }),
      existing_count: z.int().meta({ description: 'How many were there already.', examples: [0] }),
    }),
  },
  problems: [409, 422],
  handle: async ({ params, body, principal, requestId, signal }, deps) => {
    const key = await findPublicKey(deps, principal, params.public_key_id);
    const generation = { key, change: body.change, author: { principal, requestId }, signal };
    const indexes = listIndexes(body);
    const generated =
      indexes === undefined
        ? await generateNextAddress(deps, generation)
        : await generateAddresses(deps, generation, indexes);
    const items = await readGenerated(deps.db, { key, change: body.change, indexes: generated.indexes });
    return {
      status: 201,
      body: {
        items,
        created_count: generated.createdCount,
        existing_count: generated.indexes.length - generated.createdCount,
      },
      location: `/public_keys/${key.id}/addresses`,
    };
  },
});

function listIndexes({ indexes, from, to }: z.infer<typeof bodySchema>): readonly number[] | undefined {
  if (from === undefined || to === undefined) return indexes;
  return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
}
