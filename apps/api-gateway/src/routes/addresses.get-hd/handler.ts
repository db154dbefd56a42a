import { notFound } from '@chainwatch/problem';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../find-address.ts';
import { addressParams } from '../../records/address-input.ts';

/** No extended public keys in this build, so no address is an HD one. */
export const getHdAddress = defineRoute({
  method: 'GET',
  path: '/addresses/:address/hd',
  summary: 'The HD representation of a derived address',
  params: addressParams,
  responses: {},
  handle: async ({ params, principal }, deps) => {
    const row = await findAddress(deps, principal, params.address);
    throw notFound(`The address ${row.display} is not derived from a public key.`);
  },
});
