// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { formatKnownAmount } from '@chainwatch/common/amounts';
import { assetGidSchema, chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import {
  integerParameter,
  listParameter,
  pageParameters,
  pageSchema,
  sortParameter,
} from '@chainwatch/platform/http';
import { findAddress } from '../../addresses/find-address.ts';
import { canonicalizeAssetGids } from '../../assets/canonicalize-asset-gids.ts';
import type { AddValue } from '../../lists/build-conditions.ts';
import { exportTypes } from '../../lists/export-formats.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList, readRows, type List } from '../../lists/read-list.ts';
import { addressParams } from '../../records/address-input.ts';
import { defineRoute } from '../../define-route.ts';

const adjustmentSchema = z
  .object({
    id: z.uuid().meta({ description: 'Its id.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    chain_gid: z.string().meta({ description: 'The chain.', examples: ['eip155:1'] }),
    asset_gid: z.string().meta({ description: 'The asset as CAIP-19.', examples: ['eip155:1/slip44:60'] }),
    amount: z
      .string()
      .nullable()
      .meta({
        description:
          'What the balance changed by, in whole units; below zero where it fell. Null while the decimals of the token are not known.',
        examples: ['0.5'],
      }),
    amount_raw: z.string().meta({ description: '`amount` in base units.', examples: ['500000000000000000'] }),
    since_block: z.int().meta({ description: 'It happened after this block,', examples: [20_999_000] }),
    until_block: z.int().meta({
      description: 'and up to this one, whose state shows it.',
      examples: [21_000_000],
    }),
    block_hash: z
      .string()
      .meta({ description: 'The hash of `until_block`.', examples: [`0x${'ab'.repeat(32)}`] }),
    is_confirmed: z.boolean().meta({ description: 'Whether `until_block` is final.', examples: [true] }),
    created_at: z.iso
      .datetime()
      .meta({ description: 'When it was found.', examples: ['2026-11-28T09:00:00.000Z'] }),
  })
  .meta({ id: 'Adjustment' });

interface Row {
  readonly id: string;
  readonly chain_gid: string;
  readonly asset_gid: string;
  readonly amount_raw: string;
  readonly from_block: number;
  readonly block_number: number;
  readonly block_hash: string;
  readonly created_at: Date;
  readonly decimals: number | null;
  readonly is_confirmed: boolean;
}

const querySchema = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['block_number', 'created_at'], '-block_number'),
  chain_gids: listParameter(chainGidSchema),
  asset_gids: listParameter(assetGidSchema).meta({
    description: 'Only these assets (CAIP-19).',
    examples: [['eip155:1/slip44:60']],
  }),
  from_block: integerParameter(0)
    .optional()
    .meta({
      description: 'Only those found at this block or later.',
      examples: [20_000_000],
    }),
  to_block: integerParameter(0)
    .optional()
    .meta({
      description: 'Only those found at this block or before.',
      examples: [21_000_000],
    }),
});

export const listAdjustments = defineRoute({
  method: 'GET',
  path: '/addresses/:address/adjustments',
  permission: 'api:address:read',
  reads: 'standby',
  summary: 'What changed balances of an address and no transaction explains',
  params: addressParams,
  query: querySchema,
  responses: { 200: pageSchema(adjustmentSchema) },
  alternatives: exportTypes(adjustmentSchema),
  handle: async ({ params, query, principal, mediaType }, deps) => {
    const { id } = await findAddress(deps, principal, params.address);
    const assets = query.asset_gids && (await canonicalizeAssetGids(query.asset_gids));
    const list: List = {
      from: 'adjustments',
      id: 'id',
      wanted: {
        address_id: [id],
        chain_gid: query.chain_gids?.map(normalizeChainGid),
        asset_gid: assets,
      },
      matches: (add: AddValue) => [
        `NOT EXISTS (SELECT FROM project_assets x WHERE x.project_id = ${add(principal.projectId)} AND x.asset_gid = adjustments.asset_gid AND x.archived_at IS NOT NULL)`,
        ...(query.from_block === undefined ? [] : [`block_number >= ${add(query.from_block)}`]),
        ...(query.to_block === undefined ? [] : [`block_number <= ${add(query.to_block)}`]),
      ],
      order: toListOrder(
        query.sort_by,
        {
          block_number: { name: 'block_number', type: 'bigint' },
          created_at: { name: 'created_at', type: 'timestamptz' },
        },
        [{ name: 'id', type: 'uuid' }],
      ),
    };
    const exported = await deps.exports.answer({
      ...{ mediaType, record: adjustmentSchema, principal, query, deps },
      open: async ({ db }) => ({
        find: (range) => readRows(db, list, range),
        read: (ids) => readAdjustments(db, ids),
        weight: { table: 'adjustments', idType: 'uuid', bytes: '500' },
      }),
    });
    if (exported !== undefined) return exported;
    const call = { principal, name: `adjustments ${id}`, query };
    return {
      status: 200,
      body: await readList(deps, { call, list, read: (ids) => readAdjustments(deps.db, ids) }),
    };
  },
});

async function readAdjustments(sql: Sql, ids: string[]): Promise<z.infer<typeof adjustmentSchema>[]> {
  const { rows } = await sql.query<Row>(
    `SELECT j.id, j.chain_gid, j.asset_gid, j.amount_raw::text, j.from_block, j.block_number, j.block_hash, j.created_at, a.decimals,
            coalesce(j.block_number <= s.confirmed_number, false) AS is_confirmed
     FROM adjustments j JOIN assets a ON a.gid = j.asset_gid LEFT JOIN analyzer_states s ON s.chain_gid = j.chain_gid
     WHERE j.id = ANY($1)`,
    [ids],
  );
  return inOrder(ids, rows).map((row) => ({
    id: row.id,
    chain_gid: row.chain_gid,
    asset_gid: row.asset_gid,
    amount: formatKnownAmount(BigInt(row.amount_raw), row.decimals),
    amount_raw: row.amount_raw,
    since_block: row.from_block,
    until_block: row.block_number,
    block_hash: row.block_hash,
    is_confirmed: row.is_confirmed,
    created_at: row.created_at.toISOString(),
  }));
}
