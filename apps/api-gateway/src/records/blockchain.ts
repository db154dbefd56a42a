import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { familySchema } from './path-schemas.ts';

export const blockchainSchema = z.object({
  gid: z.string(),
  image_url: z.string(),
  name: z.string(),
  short_name: z.string(),
  is_active: z.boolean(),
  family: familySchema,
  /** Whether a node URL is stored; the URL itself is never shown. */
  has_endpoint: z.boolean(),
  /** How far the services are; null before the first activation. */
  sync: z
    .object({
      status: z.string(),
      reason: z.string().nullable(),
      head_number: z.int().nullable(),
      finalized_number: z.int().nullable(),
      processed_number: z.int().nullable(),
    })
    .nullable(),
});

export const blockchainInclude = { ingestorState: true, analyzerState: true } as const satisfies Prisma.BlockchainInclude;

/** The part of a chain's row, and of its services' rows, that the record shows. */
export interface BlockchainState {
  readonly gid: string;
  readonly family: string;
  readonly name: string;
  readonly shortName: string;
  readonly imageUrl: string;
  readonly isActive: boolean;
  readonly endpointSealed: string | null;
  readonly evmEndpointSealed: string | null;
  readonly ingestorState: { readonly status: string; readonly reason: string | null; readonly headNumber: Integer | null; readonly finalizedNumber: Integer | null } | null;
  readonly analyzerState: { readonly status: string; readonly reason: string | null; readonly cursorNumber: Integer | null } | null;
}

/** Prisma's bigint, or the number of the pool for raw SQL. */
type Integer = bigint | number;

export function toBlockchainRecord(row: BlockchainState): z.infer<typeof blockchainSchema> {
  const { ingestorState: ingestor, analyzerState: analyzer } = row;
  return {
    gid: row.gid,
    image_url: row.imageUrl,
    name: row.name,
    short_name: row.shortName,
    is_active: row.isActive,
    family: familySchema.parse(row.family),
    has_endpoint: row.endpointSealed !== null || row.evmEndpointSealed !== null,
    sync: ingestor && {
      // What is wrong upstream comes first: without heads nothing behind moves.
      status: ingestor.reason === null && analyzer ? analyzer.status : ingestor.status,
      reason: ingestor.reason ?? analyzer?.reason ?? null,
      head_number: toNumber(ingestor.headNumber),
      finalized_number: toNumber(ingestor.finalizedNumber),
      processed_number: toNumber(analyzer?.cursorNumber ?? null),
    },
  };
}

function toNumber(value: Integer | null): number | null {
  return value === null ? null : Number(value);
}
