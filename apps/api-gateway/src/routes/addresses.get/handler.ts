// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { readAddress } from '../../addresses/read-addresses.ts';
import { addressParams } from '../../records/address-input.ts';
import { addressSchema } from '../../records/address.ts';

export const getAddress = defineRoute({
  method: 'GET',
  path: '/addresses/:address',
  permission: 'api:address:read',
  summary: 'One address',
  params: addressParams,
  responses: { 200: addressSchema },
  handle: async ({ params, principal }, deps) => ({
    status: 200,
    body: await readAddress(deps.db, await findAddress(deps, principal, params.address)),
  }),
});
