// SPDX-License-Identifier: Apache-2.0
import { notFound } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { readAddress } from '../../addresses/read-addresses.ts';
import { addressParams } from '../../records/address-input.ts';
import { hdAddressSchema } from '../../records/address.ts';

export const getHdAddress = defineRoute({
  method: 'GET',
  path: '/addresses/:address/hd',
  permission: 'api:address:read',
  summary: 'The HD representation of a derived address',
  params: addressParams,
  responses: { 200: hdAddressSchema },
  handle: async ({ params, principal }, deps) => {
    const row = await findAddress(deps, principal, params.address);
    if (row.kind !== 'hd') throw notFound(`The address ${row.display} is not derived from a public key.`);
    return { status: 200, body: await readAddress(deps.db, row) };
  },
});
