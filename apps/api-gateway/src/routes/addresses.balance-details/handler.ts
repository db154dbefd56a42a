// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../server/define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { listUtxoChains } from '../../records/utxo-chains.ts';
import { readAccountBalances } from './read-account-balances.ts';
import { readCoinBalances } from './read-coin-balances.ts';
import { toBalanceDetails } from './to-balance-details.ts';

const detailsSchema = z
  .object({
    asset_gid: z.string().meta({ description: 'The asset as CAIP-19.', examples: ['eip155:1/slip44:60'] }),
    total: z
      .string()
      .nullable()
      .meta({
        description:
          'Total of the address, in whole units, as of the last processed block: confirmed + unconfirmed + immature. Null, as every amount here, while the decimals of the token are not known.',
        examples: ['1.5'],
      }),
    total_raw: z.string().meta({ description: '`total` in base units.', examples: ['1500000000000000000'] }),
    decimals: z
      .int()
      .nullable()
      .meta({
        description: 'Decimal places between base and whole units. Null while they are not known.',
        examples: [18],
      }),
    ui_multiplier: z
      .string()
      .nullable()
      .meta({
        description:
          'What wallets multiply amounts of this token with now. Null where the token has no multiplier, as most.',
        examples: [null],
      }),
    ui_amount: z
      .string()
      .nullable()
      .meta({
        description:
          'What wallets show: `total` times `ui_multiplier`, cut off after the decimals of the token. For people; amounts that move are without it. Null where `ui_multiplier` or `decimals` is.',
        examples: [null],
      }),
    confirmed: z
      .string()
      .nullable()
      .meta({
        description:
          'In blocks with the confirmations that the chain requires. Null while no balance was read in such a block.',
        examples: ['1.5'],
      }),
    unconfirmed: z
      .string()
      .nullable()
      .meta({
        description: 'What newer blocks changed; below zero where they spent. Null where `confirmed` is.',
        examples: ['0'],
      }),
    spendable: z
      .string()
      .nullable()
      .meta({
        description:
          '`total` without `immature`: the next block may spend it. Pending transactions are not deducted. Outside Bitcoin equal to `total`.',
        examples: ['1.5'],
      }),
    spendable_raw: z.string().meta({
      description: '`spendable` in base units.',
      examples: ['1500000000000000000'],
    }),
    immature: z
      .string()
      .nullable()
      .meta({
        description:
          'Coinbase outputs (block rewards) of Bitcoin that the next block may not spend yet. Outside Bitcoin 0.',
        examples: ['0'],
      }),
    immature_raw: z.string().meta({ description: '`immature` in base units.', examples: ['0'] }),
    pending_in: z
      .string()
      .nullable()
      .meta({
        description:
          'What pending transactions pay to the address, its own change included; no part of the total.',
        examples: ['0'],
      }),
    pending_out: z
      .string()
      .nullable()
      .meta({ description: 'What pending transactions take from the address.', examples: ['0'] }),
    checked_at: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          'When this balance was last read from the chain, or later: rounds read all balances again. On Bitcoin: when its coins were last compared with those of a node; null before that, and while no node reports the coins of an address.',
        examples: ['2026-11-28T09:00:00.000Z'],
      }),
  })
  .meta({ id: 'BalanceDetails' });

export const getBalanceDetails = defineRoute({
  method: 'GET',
  path: '/addresses/:address/balances/details',
  permission: 'api:address:read',
  summary: 'Balances of an address by asset: confirmed, unconfirmed, and immature',
  params: addressParams,
  responses: { 200: z.object({ items: z.array(detailsSchema).meta({ description: 'By asset.' }) }) },
  handle: async ({ params, principal }, deps) => {
    const address = await findAddress(deps, principal, params.address);
    const chains = await listUtxoChains(address.chainFamily);
    const rows =
      chains.length > 0
        ? await readCoinBalances(deps.db, address, chains)
        : await readAccountBalances(deps.db, address);
    return { status: 200, body: { items: rows.map(toBalanceDetails) } };
  },
});
