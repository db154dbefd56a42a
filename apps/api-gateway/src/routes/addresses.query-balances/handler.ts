// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { formatKnownAmount } from '@chainwatch/common/amounts';
import { assetGidSchema } from '@chainwatch/common/caip';
import { canonicalizeAssetGids } from '../../assets/canonicalize-asset-gids.ts';
import { unprocessableEntity } from '@chainwatch/common/problem';
import { findAddresses } from '../../addresses/find-addresses.ts';
import { readItems } from '../../bulk/read-items.ts';
import { addressParams } from '../../records/address-input.ts';
import { defineRoute } from '../../define-route.ts';

const ADDRESSES_MAX = 1_000;
const ASSETS_MAX = 100;
/** Anybody can send tokens to an address. */
const BALANCES_MAX = 100_000;

const bodySchema = z.strictObject({
  addresses: z
    .array(addressParams.shape.address)
    .min(1)
    .max(ADDRESSES_MAX)
    .meta({
      description: 'Maximum 1,000 addresses, in any supported format of their family.',
      examples: [['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045']],
    }),
  asset_gids: z
    .array(assetGidSchema)
    .min(1)
    .max(ASSETS_MAX)
    .optional()
    .meta({ description: 'Only these assets (CAIP-19), at most 100.', examples: [['eip155:1/slip44:60']] }),
});

const answerSchema = z.object({
  items: z
    .array(
      z
        .object({
          address: z.string().meta({
            description: 'The address in its display form.',
            examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
          }),
          balances: z.record(z.string(), z.string().nullable()).meta({
            description: 'As `GET /addresses/{address}/balances` answers.',
            examples: [{ 'eip155:1/slip44:60': '1.5' }],
          }),
        })
        .meta({ id: 'AddressBalances' }),
    )
    .meta({ description: 'The addresses that the project has, in the order of the request, each once.' }),
  not_found: z
    .array(z.string())
    .meta({ description: 'Those that it has not, as they were sent.', examples: [['0x1']] }),
});

interface Row {
  readonly address_id: string;
  readonly asset_gid: string;
  readonly amount_raw: string;
  readonly decimals: number | null;
}

export const queryBalances = defineRoute({
  method: 'POST',
  path: '/addresses/balances/query',
  permission: 'api:address:read',
  summary: 'Balances of up to 1,000 addresses',
  itemsBody: {
    schema: bodySchema,
    example: {
      addresses: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
      asset_gids: ['eip155:1/slip44:60'],
    },
  },
  responses: { 200: answerSchema },
  problems: [422],
  handle: async ({ bytes, principal }, deps) => {
    // Text that cannot be stored is no address of the project.
    const { body, faults } = readItems(bytes!, {
      ...{ schema: bodySchema, list: 'addresses' },
      standIn: (text) => text,
    });
    const found = await findAddresses(
      deps.db,
      principal,
      body.addresses.filter((_, place) => !faults.has(place)),
    );
    const displays = new Map([...found.values()].map(({ id, display }) => [id, display]));
    const { rows } = await deps.db.query<Row>(
      `SELECT b.address_id, b.asset_gid, b.amount_raw::text, a.decimals
       FROM balances b JOIN assets a ON a.gid = b.asset_gid LEFT JOIN project_assets p ON p.project_id = $2 AND p.asset_gid = b.asset_gid
       WHERE b.address_id = ANY ($1) AND ($3::text[] IS NULL OR b.asset_gid = ANY ($3))
         AND a.status = 'active' AND a.type <> 'nft' AND p.archived_at IS NULL
       ORDER BY b.asset_gid LIMIT ${BALANCES_MAX + 1}`,
      [
        [...displays.keys()],
        principal.projectId,
        body.asset_gids === undefined ? null : await canonicalizeAssetGids(body.asset_gids),
      ],
    );
    if (rows.length > BALANCES_MAX)
      throw unprocessableEntity(
        `These addresses have more than ${BALANCES_MAX} balances: ask for fewer of them, or name asset_gids.`,
      );
    const balances = new Map([...displays.keys()].map((id) => [id, {} as Record<string, string | null>]));
    for (const { address_id, asset_gid, amount_raw, decimals } of rows)
      balances.get(address_id)![asset_gid] = formatKnownAmount(BigInt(amount_raw), decimals);
    return {
      status: 200,
      body: {
        items: [...balances].map(([id, ofAddress]) => ({ address: displays.get(id)!, balances: ofAddress })),
        not_found: [...new Set(body.addresses.filter((input) => !found.has(input)))],
      },
    };
  },
});
