// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { uiMultiplierAt, type UiMultiplier } from '@chainwatch/chain-core';
import { assetStatusSchema } from './asset.ts';

export const tokenTypeSchema = z.enum(['native', 'fungible', 'nft']);
const sourceSchema = z.enum(['chain', 'registry']);

export const tokenSchema = z
  .object({
    gid: z.string().meta({
      description: 'The token as CAIP-19.',
      examples: ['eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7'],
    }),
    chain_gid: z.string().meta({ description: 'Its chain as CAIP-2.', examples: ['eip155:1'] }),
    namespace: z.string().meta({ description: 'Kind of asset in CAIP-19.', examples: ['erc20'] }),
    reference: z.string().meta({
      description: 'Its name in the namespace: of a token the contract.',
      examples: ['0xdac17f958d2ee523a2206206994597c13d831ec7'],
    }),
    type: tokenTypeSchema.meta({
      description:
        '`native`: the coin of the chain; `fungible`: a token; `nft`: a collection, of which no balance is read.',
    }),
    name: z
      .string()
      .nullable()
      .meta({
        description: 'As its contract says. Null while it has not been asked.',
        examples: ['Tether USD'],
      }),
    symbol: z
      .string()
      .nullable()
      .meta({ description: 'As its contract says. Null while it has not been asked.', examples: ['USDT'] }),
    decimals: z
      .int()
      .nullable()
      .meta({
        description:
          'Decimal places between base and whole units. Null while unknown: the contract was not asked yet, or does not say.',
        examples: [6],
      }),
    ui_multiplier: z
      .string()
      .nullable()
      .meta({
        description:
          'What wallets multiply its amounts with now, an exact decimal: scaled amounts and interest of Token-2022, ERC-8056. All amounts here are without it. Null where the token has none.',
        examples: [null],
      }),
    image_url: z
      .string()
      .nullable()
      .meta({ description: 'URL of its logo. Null where none is known.', examples: [null] }),
    status: assetStatusSchema.meta({
      description:
        '`unknown`: discovered, its metadata is not read yet; `active`: in listings and balances; `invalid`: archived, or not a token contract.',
    }),
    source: sourceSchema.meta({
      description: '`registry`: the built-in list; `chain`: asked from the chain.',
    }),
    created_at: z.iso.datetime().meta({
      description:
        'When the project added it, or discovered it on one of its addresses; of native coins and the built-in list, when the project was made.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    updated_at: z.iso.datetime().meta({
      description: 'When it changed last for the project: archived, restored, or its metadata read.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
  })
  .meta({ id: 'Token' });

interface TokenRow {
  readonly gid: string;
  readonly chainGid: string;
  readonly namespace: string;
  readonly reference: string;
  readonly type: string;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly imageUrl: string | null;
  readonly uiMultiplier: UiMultiplier | null;
  readonly status: string;
  readonly source: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function toTokenRecord(row: TokenRow): z.infer<typeof tokenSchema> {
  return {
    gid: row.gid,
    chain_gid: row.chainGid,
    namespace: row.namespace,
    reference: row.reference,
    type: tokenTypeSchema.parse(row.type),
    name: row.name,
    symbol: row.symbol,
    decimals: row.decimals,
    ui_multiplier: currentMultiplier(row.uiMultiplier) ?? null,
    image_url: row.imageUrl,
    status: assetStatusSchema.parse(row.status),
    source: sourceSchema.parse(row.source),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** What wallets multiply the amounts of a token with at this moment; undefined where it has no such number. */
export function currentMultiplier(stored: UiMultiplier | null): string | undefined {
  return stored === null ? undefined : uiMultiplierAt(stored, Date.now() / 1000);
}
