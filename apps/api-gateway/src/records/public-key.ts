// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { createdAtSchema, updatedAtSchema } from './recorded-times.ts';

export const publicKeySchema = z
  .object({
    id: z
      .uuid()
      .meta({ description: 'Of the public key.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    label: z
      .string()
      .nullable()
      .meta({ description: 'As its user calls it.', examples: ['Deposits'] }),
    extended_public_key: z.string().meta({
      description: 'As it was given.',
      examples: [
        'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
      ],
    }),
    fingerprint: z
      .string()
      .meta({ description: 'Of the key itself, 8 hexadecimal digits.', examples: ['7ef32bdb'] }),
    derivation_path: z
      .string()
      .meta({ description: 'From the wallet to the account.', examples: ["m/84'/0'/0'"] }),
    purpose: z
      .int()
      .meta({ description: 'The first step of the path: it decides the address format.', examples: [84] }),
    chain_gid: z.string().meta({
      description: 'The chain of its addresses as CAIP-2.',
      examples: ['bip122:000000000019d6689c085ae165831e93'],
    }),
    address_format: z
      .enum(['p2pkh', 'p2sh-p2wpkh', 'p2wpkh', 'p2tr'])
      .meta({ description: 'Of its addresses.' }),
    account_index: z.int().meta({ description: 'The last step of the path.', examples: [0] }),
    next_index: z
      .int()
      .nullable()
      .meta({
        description: 'Of the receive addresses: the one that comes next. Null when none is left.',
        examples: [5],
      }),
    address_count: z.int().meta({ description: 'Receive and change addresses together.', examples: [5] }),
    last_used_index: z
      .int()
      .nullable()
      .meta({
        description: 'Of the receive addresses: the highest that a transaction touched. Null where none was.',
        examples: [2],
      }),
    gap_limit: z
      .int()
      .meta({ description: 'Unused addresses in a row after which a wallet stops to look.', examples: [20] }),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
  })
  .meta({ id: 'PublicKey' });

/** A path parameter. */
export const publicKeyParams = z.object({ public_key_id: z.uuid() });

export type PublicKeyRow = Prisma.PublicKeyGetPayload<object>;

/** Figures about the key's addresses. */
export interface PublicKeyUse {
  readonly nextIndex: number | null;
  readonly addressCount: number;
  readonly lastUsedIndex: number | null;
}

export function toPublicKeyRecord(row: PublicKeyRow, use: PublicKeyUse): z.infer<typeof publicKeySchema> {
  return {
    id: row.id,
    label: row.label,
    extended_public_key: row.extendedPublicKey,
    fingerprint: row.fingerprint,
    derivation_path: row.derivationPath,
    purpose: row.purpose,
    chain_gid: row.chainGid,
    address_format: publicKeySchema.shape.address_format.parse(row.addressFormat),
    account_index: Number(row.accountIndex),
    next_index: use.nextIndex,
    address_count: use.addressCount,
    last_used_index: use.lastUsedIndex,
    gap_limit: row.gapLimit,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
