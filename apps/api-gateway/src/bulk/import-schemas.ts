// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { problemDocumentSchema } from '@chainwatch/common/problem';
import { chainGidsSchema } from '../addresses/choose-spelling.ts';
import { historySchema } from '../addresses/ask-for-history.ts';
import { unmarkText } from '../lists/csv-text.ts';
import { groupsSchema, labelSchema, metadataSchema } from '../records/address-input.ts';
import { addressSchema } from '../records/address.ts';
import { familySchema } from '../records/path-schemas.ts';

const ADDRESSES_MAX = 10_000;

/** Addresses that are written at once. */
export const CHUNK = 1_000;

const VALUE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

export const importSchema = z.strictObject({
  chain_family: familySchema.meta({ description: 'The family of chains that knows all of them.' }),
  addresses: z
    .array(
      z.strictObject({
        value: z
          .string()
          .meta({ description: 'The address, in any supported format of its family.', examples: [VALUE] }),
        label: z
          .preprocess((text) => (typeof text === 'string' ? unmarkText(text) : text), labelSchema.nullish())
          .meta({
            description:
              "Optional name. The `'` that CSV exports put before `=`, `+`, `-`, `@` and tabs is removed.",
            examples: ['Treasury'],
          }),
        metadata: metadataSchema.optional().meta({
          description: 'Your own JSON. Maximum 50 members and 16 KiB.',
          examples: [{ customer_id: '1042' }],
        }),
        groups: groupsSchema.optional(),
        chain_gids: chainGidsSchema.optional(),
        history: historySchema.optional(),
        allow_burn: z.boolean().default(false).meta({
          description: 'Monitor the zero address or a burn address all the same.',
        }),
      }),
    )
    .min(1)
    .max(ADDRESSES_MAX)
    .meta({ description: 'At most 10,000.' }),
});

const anAddress = addressSchema.meta({ description: 'The address as it is now.' });

export const importedSchema = z.object({
  items: z
    .array(
      z.discriminatedUnion('status', [
        z
          .object({
            status: z.literal('created').meta({ description: 'It is new.' }),
            address: anAddress,
          })
          .meta({ id: 'CreatedImport' }),
        z
          .object({
            status: z
              .literal('exists')
              .meta({ description: 'The project had it already, or an earlier entry is the same address.' }),
            address: anAddress,
          })
          .meta({ id: 'ExistingImport' }),
        z
          .object({
            status: z.literal('invalid').meta({ description: 'It was not imported.' }),
            value: z.string().meta({ description: 'As it was sent.', examples: ['0x1'] }),
            problem: problemDocumentSchema.meta({ description: 'Why it was not imported.' }),
          })
          .meta({ id: 'InvalidImport' }),
      ]),
    )
    .meta({ description: 'One for each entry, in their order.' }),
});

export type ImportEntry = z.infer<typeof importSchema>['addresses'][number];
export type ImportedItem = z.infer<typeof importedSchema>['items'][number];
