import { z } from 'zod';
import { formatAmount } from '@chainwatch/amounts';
import { defineRoute } from '../../server/define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { addressParams } from '../../records/address-input.ts';

export const getBalances = defineRoute({
  method: 'GET',
  path: '/addresses/:address/balances',
  permission: 'api:address:read',
  summary:
    'Balances by CAIP-19 asset: active assets discovered on the address, but for those that the project archived',
  params: addressParams,
  responses: {
    200: z.record(z.string(), z.string()).meta({
      description: 'Balances in whole units, exact decimals, by asset as CAIP-19.',
      examples: [{ 'eip155:1/slip44:60': '1.5' }],
    }),
  },
  handle: async ({ params, principal }, deps) => {
    const address = await findAddress(deps, principal, params.address);
    const { rows } = await deps.db.query<{ asset_gid: string; amount_raw: string; decimals: number }>(
      `SELECT b.asset_gid, b.amount_raw::text, a.decimals
       FROM balances b JOIN assets a ON a.gid = b.asset_gid LEFT JOIN project_assets p ON p.project_id = $2 AND p.asset_gid = b.asset_gid
       WHERE b.address_id = $1 AND a.status = 'active' AND a.decimals IS NOT NULL AND p.archived_at IS NULL
       ORDER BY b.asset_gid`,
      [address.id, principal.projectId],
    );
    return {
      status: 200,
      body: Object.fromEntries(
        rows.map((row) => [row.asset_gid, formatAmount(BigInt(row.amount_raw), row.decimals)]),
      ),
    };
  },
});
