// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { announceAddress } from '../../addresses/announce-address.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { readAddressById } from '../../addresses/read-addresses.ts';
import {
  addressChanges,
  changesSomething,
  CHANGES_NOTHING,
  updateAddresses,
} from '../../addresses/update-addresses.ts';
import { addressParams } from '../../records/address-input.ts';
import { addressSchema } from '../../records/address.ts';
import { defineRoute } from '../../define-route.ts';

const bodySchema = z.strictObject(addressChanges).refine(changesSomething, { error: CHANGES_NOTHING });

export const updateAddress = defineRoute({
  method: 'PATCH',
  path: '/addresses/:address',
  permission: 'api:address:write',
  summary: "Change an address's label, metadata, groups or monitoring",
  params: addressParams,
  body: bodySchema,
  example: { label: 'Treasury', is_monitored: true },
  responses: { 200: addressSchema },
  handle: async ({ params, body, principal }, deps) => {
    const row = await findAddress(deps, principal, params.address);
    const [switched] = await deps.db.transaction((sql) => updateAddresses(sql, new Map([[row.id, body]])));
    if (switched) announceAddress(deps, { ...row, ...switched });
    return { status: 200, body: await readAddressById(deps, principal, row.id) };
  },
});
