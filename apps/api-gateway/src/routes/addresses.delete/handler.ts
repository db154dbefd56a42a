// SPDX-License-Identifier: Apache-2.0
import { announceAddress } from '../../addresses/announce-address.ts';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { recordChange } from '../../management/record-change.ts';
import { addressParams } from '../../records/address-input.ts';

export const deleteAddress = defineRoute({
  method: 'DELETE',
  path: '/addresses/:address',
  permission: 'api:address:write',
  summary: 'Delete an address for good',
  params: addressParams,
  responses: { 204: undefined },
  handle: async ({ params, principal, requestId }, deps) => {
    const row = await findAddress(deps, principal, params.address);
    await deps.db.transaction(async (sql) => {
      const { rowCount } = await sql.query('DELETE FROM addresses WHERE id = $1', [row.id]);
      if (rowCount === 0) return;
      const from = { address: row.display, chain_family: row.chainFamily, label: row.label };
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'address.deleted', targetId: row.id, from },
      );
    });
    announceAddress(deps, { ...row, isMonitored: false });
    return { status: 204 };
  },
});
