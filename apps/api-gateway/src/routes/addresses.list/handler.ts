// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { pageSchema, sortParameter } from '@chainwatch/platform/http';
import { takeMetadata } from '../../addresses/metadata-filter.ts';
import { defineRoute } from '../../define-route.ts';
import {
  addressFilters,
  ADDRESS_SORT_FIELDS,
  openAddresses,
  queryAddresses,
} from '../../addresses/query-addresses.ts';
import { exportTypes } from '../../lists/export-formats.ts';
import { addressSchema } from '../../records/address.ts';

export const listAddresses = defineRoute({
  method: 'GET',
  path: '/addresses',
  permission: 'api:address:read',
  reads: 'standby',
  summary: 'Addresses of the project, HD and external',
  query: takeMetadata(
    z.strictObject({
      ...addressFilters,
      sort_by: sortParameter(ADDRESS_SORT_FIELDS, '-created_at'),
      kind: z.enum(['hd', 'external']).optional(),
      public_key_id: z.uuid().optional(),
    }),
  ),
  responses: { 200: pageSchema(addressSchema) },
  alternatives: exportTypes(addressSchema),
  handle: async ({ query, principal, mediaType }, deps) =>
    (await deps.exports.answer({
      ...{ mediaType, record: addressSchema, principal, query, deps },
      open: async (source) => openAddresses(source, principal, query),
    })) ?? { status: 200, body: await queryAddresses(deps, { principal, name: 'addresses', query }) },
});
