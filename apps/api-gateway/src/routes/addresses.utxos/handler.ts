// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { listParameter, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { defineRoute } from '../../server/define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { utxoSchema } from '../../records/utxo.ts';
import { listUtxoChains } from '../../records/utxo-chains.ts';
import { queryCoins } from './query-coins.ts';
import { openPager } from '../../lists/pager.ts';

export const listUtxos = defineRoute({
  method: 'GET',
  path: '/addresses/:address/utxos',
  permission: 'api:address:read',
  reads: 'standby',
  summary: 'Unspent outputs of an address, as of the last processed block; empty on account-based chains',
  params: addressParams,
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['block_number', 'amount'], '-block_number'),
    chain_gids: listParameter(chainGidSchema),
  }),
  responses: { 200: pageSchema(utxoSchema) },
  handle: async ({ params, query, principal }, deps) => {
    const { id, address, chainFamily } = await findAddress(deps, principal, params.address);
    const wanted = query.chain_gids?.map(normalizeChainGid);
    const chains = (await listUtxoChains(chainFamily)).filter(
      ({ network }) => wanted === undefined || wanted.includes(network.gid),
    );
    const pager = openPager({ sealer: deps.sealer, principal, list: `utxos ${id}`, query });
    const wantedCoins = { addressId: id, address, chains, sort_by: query.sort_by, range: pager.range };
    const found = await queryCoins(deps.db, wantedCoins);
    const { rows, nextCursor } = pager.close(found.rows);
    const items = rows.map(({ record }) => record);
    return { status: 200, body: toPage(items, { total: found.total, request: query, nextCursor }) };
  },
});
