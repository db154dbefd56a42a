import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { listParameter, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { defineRoute } from '../../server/define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { listUtxoChains } from '../../records/utxo-chains.ts';
import { queryCoins } from './query-coins.ts';

const utxoSchema = z.object({
  txid: z.string().meta({
    description: 'The transaction that created it.',
    examples: ['4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'],
  }),
  vout: z
    .int()
    .min(0)
    .meta({ description: 'Its position among the outputs of the transaction.', examples: [0] }),
  amount: z.string().meta({ description: 'In whole units.', examples: ['0.5'] }),
  amount_raw: z.string().meta({ description: 'In base units.', examples: ['50000000'] }),
  asset_gid: z.string().meta({
    description: 'The asset as CAIP-19.',
    examples: ['bip122:000000000019d6689c085ae165831e93/slip44:0'],
  }),
  chain_gid: z
    .string()
    .meta({ description: 'The chain as CAIP-2.', examples: ['bip122:000000000019d6689c085ae165831e93'] }),
  block_number: z.int().meta({ description: 'Height of its block.', examples: [870_000] }),
  is_coinbase: z.boolean().meta({ description: 'Whether it is the reward of a block.' }),
  /** Blocks from the coin's own to the head, both included. */
  confirmations: z
    .int()
    .min(0)
    .meta({ description: 'Blocks on top of it, its own included.', examples: [6] }),
  /** A coinbase may not be spent before; every other coin may. */
  is_mature: z.boolean().meta({ description: 'Whether it may be spent: coinbase outputs have to wait.' }),
});
export type UtxoRecord = z.infer<typeof utxoSchema>;

export const listUtxos = defineRoute({
  method: 'GET',
  path: '/addresses/:address/utxos',
  permission: 'api:address:read',
  summary:
    'Unspent outputs of an address, as of the last block that was analysed; none on chains of accounts',
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
    const { items, total } = await queryCoins(deps.db, { addressId: id, address, chains, ...query });
    return { status: 200, body: toPage(items, total, query) };
  },
});
