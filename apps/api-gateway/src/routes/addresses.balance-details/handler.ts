import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { listUtxoChains } from '../../records/utxo-chains.ts';
import { readAccountBalances } from './read-account-balances.ts';
import { readCoinBalances } from './read-coin-balances.ts';
import { toBalanceDetails } from './to-balance-details.ts';

const detailsSchema = z.object({
  asset_gid: z.string(),
  /** All that the address has, as of the last block that was analysed: confirmed + unconfirmed + immature. */
  total: z.string(),
  /** In blocks with the confirmations that the chain requires; null while no balance was read in such a block. */
  confirmed: z.string().nullable(),
  /** What newer blocks changed; below zero where they spent. */
  unconfirmed: z.string().nullable(),
  /** Coinbase outputs that may not be spent yet; null on chains of accounts. */
  immature: z.string().nullable(),
  /** What pending transactions pay to the address, its own change included; no part of the total. */
  pending_in: z.string(),
  /** What pending transactions take from the address. */
  pending_out: z.string(),
});

export const getBalanceDetails = defineRoute({
  method: 'GET',
  path: '/addresses/:address/balances/details',
  summary: 'Balances of an address by asset, told apart by how certain they are',
  params: addressParams,
  responses: { 200: z.object({ items: z.array(detailsSchema) }) },
  handle: async ({ params, principal }, deps) => {
    const address = await findAddress(deps, principal, params.address);
    const chains = await listUtxoChains(address.chainFamily);
    const rows = chains.length > 0 ? await readCoinBalances(deps.db, address, chains) : await readAccountBalances(deps.db, address);
    return { status: 200, body: { items: rows.map(toBalanceDetails) } };
  },
});
