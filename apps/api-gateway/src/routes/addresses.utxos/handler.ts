import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { listParameter, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { listUtxoChains } from '../../records/utxo-chains.ts';
import { queryCoins } from './query-coins.ts';

const utxoSchema = z.object({
  txid: z.string(),
  vout: z.int().min(0),
  amount: z.string(),
  amount_raw: z.string(),
  asset_gid: z.string(),
  chain_gid: z.string(),
  block_number: z.int(),
  is_coinbase: z.boolean(),
  /** Blocks from the coin's own to the head, both included. */
  confirmations: z.int().min(0),
  /** A coinbase may not be spent before; every other coin may. */
  is_mature: z.boolean(),
});
export type UtxoRecord = z.infer<typeof utxoSchema>;

export const listUtxos = defineRoute({
  method: 'GET',
  path: '/addresses/:address/utxos',
  summary: 'Unspent outputs of an address, as of the last block that was analysed; none on chains of accounts',
  params: addressParams,
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['block_number', 'amount'], '-block_number'),
    chain_gids: listParameter(chainGidSchema),
  }),
  responses: { 200: pageSchema(utxoSchema) },
  handle: async ({ params, query, principal }, deps) => {
    const { address, chainFamily } = await findAddress(deps, principal, params.address);
    const wanted = query.chain_gids?.map(normalizeChainGid);
    const chains = (await listUtxoChains(chainFamily)).filter(({ network }) => wanted === undefined || wanted.includes(network.gid));
    const { items, total } = await queryCoins(deps.db, { address, chains, ...query });
    return { status: 200, body: toPage(items, total, query) };
  },
});
