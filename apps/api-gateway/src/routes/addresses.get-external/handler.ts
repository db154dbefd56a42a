// SPDX-License-Identifier: Apache-2.0
import { notFound } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { readAddress } from '../../addresses/read-addresses.ts';
import { addressParams } from '../../records/address-input.ts';
import { externalAddressSchema } from '../../records/address.ts';

export const getExternalAddress = defineRoute({
  method: 'GET',
  path: '/addresses/:address/external',
  permission: 'api:address:read',
  summary: 'The external representation of an imported address',
  params: addressParams,
  responses: { 200: externalAddressSchema },
  handle: async ({ params, principal }, deps) => {
    const row = await findAddress(deps, principal, params.address);
    if (row.kind !== 'external') throw notFound(`The address ${row.display} is not external.`);
    return { status: 200, body: await readAddress(deps.db, row) };
  },
});
