import { announceAddress } from '../../addresses/announce-address.ts';
import { defineRoute } from '../../server/define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { addressParams } from '../../records/address-input.ts';

export const deleteAddress = defineRoute({
  method: 'DELETE',
  path: '/addresses/:address',
  permission: 'api:address:write',
  summary: 'Delete an address for good',
  params: addressParams,
  responses: { 204: undefined },
  handle: async ({ params, principal }, deps) => {
    const row = await findAddress(deps, principal, params.address);
    await deps.prisma.address.deleteMany({ where: { id: row.id } });
    announceAddress(deps, { ...row, isMonitored: false });
    return { status: 204 };
  },
});
