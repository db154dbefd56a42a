// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { formatKnownAmount } from '@chainwatch/amounts';
import { chainGidSchema } from '@chainwatch/caip';
import { findFamilyNamed } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/db';
import { integerParameter } from '@chainwatch/http';
import { defineRoute } from '../../server/define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { SHOWN_BALANCES } from '../addresses.balance-details/balance-row.ts';
import { findBlockAsked } from './find-block-asked.ts';
import { readAccountBalancesAt, readCoinBalancesAt, type BalanceAt } from './read-balances-at.ts';

export const getBalances = defineRoute({
  method: 'GET',
  path: '/addresses/:address/balances',
  permission: 'api:address:read',
  summary:
    'Balances by CAIP-19 asset: active assets discovered on the address, but for those that the project archived',
  params: addressParams,
  query: z
    .strictObject({
      at_block: integerParameter(0)
        .optional()
        .meta({
          description:
            'Balances after this block, of one chain. Absent: the last known. Put together from what the chain said before the block and what moved since. 422 where more moved than transfers and fees tell, such as interest: the readings themselves are in `balances/history`.',
          examples: [21_000_000],
        }),
      chain_gid: chainGidSchema.optional().meta({
        description: 'The chain of `at_block`; may be left out where one chain of the family is active.',
        examples: ['eip155:1'],
      }),
    })
    .refine((query) => query.chain_gid === undefined || query.at_block !== undefined, {
      path: ['chain_gid'],
      error: 'expected at_block beside it',
    }),
  responses: {
    200: z.record(z.string(), z.string().nullable()).meta({
      description:
        'Balances in whole units, exact decimals, by asset as CAIP-19. Null while the decimals of the token are not known: `GET /addresses/{address}/balances/details` has base units.',
      examples: [{ 'eip155:1/slip44:60': '1.5' }],
    }),
  },
  problems: [422],
  handle: async ({ params, query: { at_block: block, chain_gid: wanted }, principal }, { db, prisma }) => {
    const { id, address, chainFamily } = await findAddress({ prisma }, principal, params.address);
    const { projectId } = principal;
    let rows: BalanceAt[];
    if (block === undefined) rows = await readBalances(db, id, projectId);
    else {
      const chainGid = await findBlockAsked(db, { id, chainFamily, block, chainGid: wanted });
      const family = await findFamilyNamed(chainFamily);
      const at = { id, projectId, address, chainGid, block };
      rows =
        family?.utxo === undefined
          ? await readAccountBalancesAt(db, at, family?.tellsHeadOnly === true)
          : await readCoinBalancesAt(db, at);
    }
    return {
      status: 200,
      body: Object.fromEntries(
        rows.map((row) => [row.asset_gid, formatKnownAmount(BigInt(row.amount_raw), row.decimals)]),
      ),
    };
  },
});

async function readBalances(sql: Sql, id: string, projectId: string): Promise<BalanceAt[]> {
  const { rows } = await sql.query<BalanceAt>(
    `SELECT b.asset_gid, b.amount_raw::text, a.decimals FROM ${SHOWN_BALANCES} ORDER BY b.asset_gid`,
    [id, projectId],
  );
  return rows;
}
