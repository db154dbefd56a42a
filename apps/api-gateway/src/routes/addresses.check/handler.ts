// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { checkAddresses } from '../../addresses/check-addresses.ts';
import { chainGidsSchema } from '../../addresses/choose-spelling.ts';
import { readItems } from '../../bulk/read-items.ts';
import { familySchema } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

const ADDRESSES_MAX = 10_000;
const VALUE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const bodySchema = z.strictObject({
  addresses: z
    .array(
      z.strictObject({
        value: z.string().meta({ description: 'The address, in any supported format.', examples: [VALUE] }),
        chain_family: familySchema.optional().meta({
          description: 'The family of chains that the address belongs to. Absent: detected.',
        }),
        chain_gids: chainGidsSchema.optional(),
      }),
    )
    .min(1)
    .max(ADDRESSES_MAX)
    .meta({ description: 'At most 10,000.' }),
});

const itemSchema = z
  .object({
    value: z.string().meta({ description: 'As it was sent.', examples: [VALUE] }),
    status: z.enum(['new', 'exists', 'invalid', 'ambiguous', 'burn']).meta({
      description:
        '`new`: an import creates it. `exists`: the project has it, or an earlier entry is the same address. `invalid`: no family reads it. `ambiguous`: several families read it. `burn`: a burn address, which needs `allow_burn`.',
      examples: ['new'],
    }),
    chain_family: familySchema.nullable().meta({
      description:
        'The family that was sent, or the only one that the address can belong to. Null if there is none.',
    }),
    address: z
      .string()
      .nullable()
      .meta({
        description: 'The address in its display form. Null if no family reads it.',
        examples: [VALUE],
      }),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'Why an import would reject it. Null otherwise.', examples: [null] }),
  })
  .meta({ id: 'CheckedAddress' });

export const checkManyAddresses = defineRoute({
  method: 'POST',
  path: '/addresses/check',
  permission: 'api:address:read',
  summary: 'Check up to 10,000 addresses before an import, and detect their families; nothing is stored',
  isRepeatable: true,
  largeBody: {
    schema: bodySchema,
    limitBytes: 4 * 1_024 * 1_024,
    example: { addresses: [{ value: VALUE }] },
  },
  responses: {
    200: z.object({
      items: z.array(itemSchema).meta({ description: 'One for each entry, in their order.' }),
    }),
  },
  handle: async ({ bytes, principal }, { db }) => {
    const { body, faults } = readItems(bytes!, {
      ...{ schema: bodySchema, list: 'addresses', key: 'value' },
      standIn: (value) => ({ value }),
    });
    const items = await checkAddresses(db, principal.projectId!, body.addresses);
    return {
      status: 200,
      body: {
        items: items.map((item, place) => {
          const fault = faults.get(place);
          return fault === undefined ? item : { ...item, ...UNREADABLE, problem: fault.reason };
        }),
      },
    };
  },
});

/** Text that cannot be stored is no address, whatever it looks like. */
const UNREADABLE = { status: 'invalid', chain_family: null, address: null } as const;
