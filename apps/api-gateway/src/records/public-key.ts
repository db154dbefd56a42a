import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';

export const publicKeySchema = z.object({
  id: z.uuid(),
  label: z.string().nullable(),
  extended_public_key: z.string(),
  /** Of the key itself, 8 hexadecimal digits. */
  fingerprint: z.string(),
  derivation_path: z.string(),
  purpose: z.int(),
  chain_gid: z.string(),
  address_format: z.enum(['p2pkh', 'p2sh-p2wpkh', 'p2wpkh', 'p2tr']),
  account_index: z.int(),
  /** Of the receive addresses: the one that comes next; null when none is left. */
  next_index: z.int().nullable(),
  /** Receive and change addresses together. */
  address_count: z.int(),
  /** Of the receive addresses: the highest that a transaction touched. */
  last_used_index: z.int().nullable(),
  gap_limit: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

/** A path parameter. */
export const publicKeyParams = z.object({ public_key_id: z.uuid() });

export type PublicKeyRow = Prisma.PublicKeyGetPayload<object>;

/** What is counted over the key's addresses. */
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
