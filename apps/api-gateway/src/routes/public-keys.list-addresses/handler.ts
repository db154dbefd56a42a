// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { pageSchema, sortParameter } from '@chainwatch/platform/http';
import { takeMetadata } from '../../addresses/metadata-filter.ts';
import { defineRoute } from '../../define-route.ts';
import { findPublicKey } from '../../public-keys/find-public-key.ts';
import {
  addressFilters,
  ADDRESS_SORT_FIELDS,
  hdAddressFilters,
  queryAddresses,
} from '../../addresses/query-addresses.ts';
import { hdAddressSchema } from '../../records/address.ts';
import { publicKeyParams } from '../../records/public-key.ts';

export const listPublicKeyAddresses = defineRoute({
  method: 'GET',
  path: '/public_keys/:public_key_id/addresses',
  permission: 'api:address:read',
  reads: 'standby',
  summary: 'HD addresses derived from a public key, by index unless asked otherwise',
  params: publicKeyParams,
  query: takeMetadata(
    z.strictObject({
      ...addressFilters,
      ...hdAddressFilters,
      sort_by: sortParameter(ADDRESS_SORT_FIELDS, 'index'),
    }),
  ),
  responses: { 200: pageSchema(hdAddressSchema) },
  handle: async ({ params, query, principal }, deps) => {
    const { id } = await findPublicKey(deps, principal, params.public_key_id);
    return {
      status: 200,
      body: await queryAddresses(deps, {
        principal,
        name: `addresses ${id}`,
        query: { ...query, public_key_id: id },
      }),
    };
  },
});
