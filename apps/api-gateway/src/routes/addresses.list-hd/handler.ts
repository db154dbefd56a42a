// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { pageSchema, sortParameter } from '@chainwatch/platform/http';
import { takeMetadata } from '../../addresses/metadata-filter.ts';
import { defineRoute } from '../../define-route.ts';
import {
  addressFilters,
  ADDRESS_SORT_FIELDS,
  hdAddressFilters,
  queryAddresses,
} from '../../addresses/query-addresses.ts';
import { hdAddressSchema } from '../../records/address.ts';

export const listHdAddresses = defineRoute({
  method: 'GET',
  path: '/addresses/hd',
  permission: 'api:address:read',
  reads: 'standby',
  summary: 'HD addresses of all public keys of the project',
  query: takeMetadata(
    z.strictObject({
      ...addressFilters,
      ...hdAddressFilters,
      sort_by: sortParameter(ADDRESS_SORT_FIELDS, '-created_at'),
      public_key_id: z.uuid().optional(),
    }),
  ),
  responses: { 200: pageSchema(hdAddressSchema) },
  handle: async ({ query, principal }, deps) => ({
    status: 200,
    body: await queryAddresses(deps, { principal, name: 'hd addresses', query: { ...query, kind: 'hd' } }),
  }),
});
