// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { formatKnownAmount } from '@chainwatch/common/amounts';
import { assetGidSchema, chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import {
  integerParameter,
  listParameter,
  pageParameters,
  pageSchema,
  sortParameter,
  toPage,
} from '@chainwatch/platform/http';
import { findAddress } from '../../addresses/find-address.ts';
import { canonicalizeAssetGids } from '../../assets/canonicalize-asset-gids.ts';
import { behindSql, keySql, orderSql, type ListOrder } from '../../lists/list-order.ts';
import { openPager, type Key } from '../../lists/pager.ts';
import { addressParams } from '../../records/address-input.ts';
import { defineRoute } from '../../define-route.ts';
import { SHOWN_BALANCES } from '../addresses.balance-details/balance-row.ts';

const readingSchema = z
  .object({
    chain_gid: z.string().meta({ description: 'The chain.', examples: ['eip155:1'] }),
    asset_gid: z.string().meta({ description: 'The asset as CAIP-19.', examples: ['eip155:1/slip44:60'] }),
    block_number: z.int().meta({ description: 'The block after which it was so.', examples: [21_000_000] }),
    block_hash: z.string().meta({ description: 'Its hash.', examples: [`0x${'ab'.repeat(32)}`] }),
    balance: z
      .string()
      .nullable()
      .meta({
        description: 'In whole units, an exact decimal. Null while the decimals of the token are not known.',
        examples: ['1.5'],
      }),
    balance_raw: z.string().meta({ description: 'In base units.', examples: ['1500000000000000000'] }),
    adjustment_raw: z
      .string()
      .nullable()
      .meta({
        description:
          'What no transaction explains of the change since the reading before, in base units; below zero where the balance fell. Null where everything is explained.',
        examples: [null],
      }),
  })
  .meta({ id: 'BalanceReading' });

interface Row {
  readonly key: Key;
  readonly chain_gid: string;
  readonly asset_gid: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly amount_raw: string;
  readonly decimals: number | null;
  readonly adjustment_raw: string | null;
}

export const listBalanceHistory = defineRoute({
  method: 'GET',
  path: '/addresses/:address/balances/history',
  permission: 'api:address:read',
  reads: 'standby',
  summary:
    'Balances of an address as the chain stated them, from the block on from which it is watched: wherever one changed, and now and then where none did',
  params: addressParams,
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['block_number'], '-block_number'),
    chain_gids: listParameter(chainGidSchema),
    asset_gids: listParameter(assetGidSchema).meta({
      description: 'Only these assets (CAIP-19).',
      examples: [['eip155:1/slip44:60']],
    }),
    from_block: integerParameter(0).optional(),
    to_block: integerParameter(0).optional(),
  }),
  responses: { 200: pageSchema(readingSchema) },
  handle: async ({ params, query, principal }, { db, prisma, sealer }) => {
    const { id } = await findAddress({ prisma }, principal, params.address);
    const pager = openPager({ sealer, principal, list: `balance history ${id}`, query });
    const order: ListOrder = {
      columns: [
        { name: 'h.block_number', type: 'bigint' },
        { name: 'h.asset_gid', type: 'text', isAscending: true },
        { name: 'h.block_hash', type: 'text', isAscending: true },
      ],
      direction: query.sort_by.startsWith('-') ? 'DESC' : 'ASC',
    };
    const values = [
      id,
      principal.projectId,
      query.chain_gids?.map(normalizeChainGid) ?? null,
      query.asset_gids === undefined ? null : await canonicalizeAssetGids(query.asset_gids),
      query.from_block ?? 0,
      query.to_block ?? Number.MAX_SAFE_INTEGER,
    ];
    const from = `FROM ${SHOWN_BALANCES}
      JOIN balance_history h ON h.address_id = b.address_id AND h.asset_gid = b.asset_gid
      WHERE ($3::text[] IS NULL OR b.chain_gid = ANY ($3)) AND ($4::text[] IS NULL OR b.asset_gid = ANY ($4))
        AND h.block_number BETWEEN $5 AND $6`;
    const { rows: totals } = await db.query<{ total: number }>(`SELECT count(*) AS total ${from}`, values);
    const parameters: unknown[] = [...values];
    const { offset, limit, after } = pager.range;
    const behind =
      after === undefined ? 'true' : behindSql(order, after, (value) => `$${parameters.push(value)}`);
    const found = await db.query<Row>(
      `SELECT h.chain_gid, h.asset_gid, h.block_number, h.block_hash, h.amount_raw::text, a.decimals, ${keySql(order)} AS key,
         (SELECT j.amount_raw::text FROM adjustments j WHERE j.address_id = h.address_id AND j.asset_gid = h.asset_gid
            AND j.block_number = h.block_number AND j.block_hash = h.block_hash) AS adjustment_raw ${from}
       AND ${behind} ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}`,
      parameters,
    );
    const { rows, nextCursor } = pager.close(found.rows);
    const items = rows.map(({ amount_raw: raw, decimals, key: _, ...row }) => ({
      ...row,
      balance: formatKnownAmount(BigInt(raw), decimals),
      balance_raw: raw,
    }));
    return {
      status: 200,
      body: toPage(items, { total: Number(totals[0]!.total), request: query, nextCursor }),
    };
  },
});
