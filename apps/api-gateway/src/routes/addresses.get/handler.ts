import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { addressSchema, toAddressRecord } from '../../records/address.ts';

export const getAddress = defineRoute({
  method: 'GET',
  path: '/addresses/:address',
  summary: 'One address',
  params: addressParams,
  responses: { 200: addressSchema },
  handle: async ({ params, principal }, deps) => ({ status: 200, body: toAddressRecord(await findAddress(deps, principal, params.address)) }),
});
