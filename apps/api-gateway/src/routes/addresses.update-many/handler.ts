// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { announceAddresses } from '../../addresses/announce-address.ts';
import { findAddresses } from '../../addresses/find-addresses.ts';
import { readAddresses } from '../../addresses/read-addresses.ts';
import { selectAddressRows } from '../../addresses/select-address-rows.ts';
import {
  addressChanges,
  changesSomething,
  CHANGES_NOTHING,
  updateAddresses,
  type AddressChanges,
} from '../../addresses/update-addresses.ts';
import { invalidRequest, problemDocumentSchema, toProblemDocument } from '@chainwatch/common/problem';
import { readItems } from '../../bulk/read-items.ts';
import { addressParams } from '../../records/address-input.ts';
import { addressSchema } from '../../records/address.ts';
import { defineRoute } from '../../define-route.ts';

const ITEMS_MAX = 1_000;

const bodySchema = z.strictObject({
  items: z
    .array(
      z
        .strictObject({
          address: addressParams.shape.address.meta({
            description: 'The address, in any supported format of its family.',
            examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
          }),
          ...addressChanges,
        })
        .refine(changesSomething, { error: CHANGES_NOTHING }),
    )
    .min(1)
    .max(ITEMS_MAX)
    .meta({ description: 'At most 1,000, carried out in this order.' }),
});

const answerSchema = z.object({
  items: z
    .array(
      z.discriminatedUnion('status', [
        z
          .object({
            status: z.literal('updated').meta({ description: 'It was changed.' }),
            address: addressSchema.meta({ description: 'The address after all changes.' }),
          })
          .meta({ id: 'UpdatedAddressItem' }),
        z
          .object({
            status: z.literal('not_found').meta({ description: 'The project has no such address.' }),
            value: z.string().meta({ description: 'As it was sent.', examples: ['0x1'] }),
          })
          .meta({ id: 'MissingAddressItem' }),
        z
          .object({
            status: z.literal('invalid').meta({ description: 'It was not changed.' }),
            value: z.string().meta({ description: 'As it was sent.', examples: ['0x1'] }),
            problem: problemDocumentSchema.meta({ description: 'Why it was not changed.' }),
          })
          .meta({ id: 'InvalidAddressItem' }),
      ]),
    )
    .meta({ description: 'One for each item, in their order.' }),
});

export const updateManyAddresses = defineRoute({
  method: 'PATCH',
  path: '/addresses',
  permission: 'api:address:write',
  summary: 'Change labels, metadata, groups or monitoring of up to 1,000 addresses',
  itemsBody: {
    schema: bodySchema,
    example: {
      items: [
        { address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', groups: ['customers', 'eu'] },
        { address: '0x00000000219ab540356cBB839Cbe05303d7705Fa', is_monitored: false },
      ],
    },
  },
  responses: { 200: answerSchema },
  handle: async ({ bytes, principal }, deps) => {
    const { body, faults } = readItems(bytes!, {
      ...{ schema: bodySchema, list: 'items', key: 'address' },
      standIn: (address) => ({ address, label: null }),
    });
    const changed = body.items.filter((_, place) => !faults.has(place));
    const found = await findAddresses(
      deps.db,
      principal,
      changed.map(({ address }) => address),
    );
    const changes = new Map<string, AddressChanges>();
    for (const { address, ...named } of changed) {
      const id = found.get(address)?.id;
      if (id !== undefined) changes.set(id, { ...changes.get(id), ...named });
    }
    const { switched, rows } = await deps.db.transaction(async (sql) => ({
      switched: await updateAddresses(sql, changes),
      rows: await selectAddressRows(sql, 'a.id = ANY ($1)', [[...changes.keys()]]),
    }));
    const { projectId } = principal;
    announceAddresses(
      deps,
      switched.map((address) => ({ ...address, projectId })),
    );
    const records = new Map((await readAddresses(deps.db, rows)).map((record) => [record.id, record]));
    return {
      status: 200,
      body: {
        items: body.items.map(({ address: value }, place) => {
          const fault = faults.get(place);
          if (fault !== undefined) {
            const problem = toProblemDocument(invalidRequest([fault]), deps.settings.uris);
            return { status: 'invalid', value, problem };
          }
          const record = records.get(found.get(value)?.id ?? '');
          return record === undefined
            ? { status: 'not_found', value }
            : { status: 'updated', address: record };
        }),
      },
    };
  },
});
