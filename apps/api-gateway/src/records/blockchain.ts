import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { familySchema } from './path-schemas.ts';

export const blockchainSchema = z.object({
  gid: z.string().meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] }),
  image_url: z.string().meta({ description: 'URL of its logo.', examples: ['https://example.com/ethereum.svg'] }),
  name: z.string().meta({ description: 'Unique name of the chain.', examples: ['ethereum'] }),
  short_name: z.string().meta({ description: 'Short name of the chain.', examples: ['ETH'] }),
  is_active: z.boolean().meta({ description: 'Whether the service monitors it.' }),
  family: familySchema.meta({ description: 'The family of the chain.' }),
  has_endpoint: z.boolean().meta({ description: 'Whether a node URL is stored; the URL itself is never shown.' }),
  sync: z
    .object({
      status: z.string().meta({ description: '`starting`, `catching_up`, `following`, `recovering` (a deep reorg) or `stalled`.', examples: ['following'] }),
      reason: z.string().nullable().meta({ description: 'Why it stands still. Null otherwise.', examples: [null] }),
      head_number: z.int().nullable().meta({ description: 'Head of the chain as recorded. Null at first.', examples: [21_000_000] }),
      finalized_number: z.int().nullable().meta({ description: 'The highest final block. Null where none is known.', examples: [20_999_936] }),
      processed_number: z.int().nullable().meta({ description: 'The highest block whose transactions are stored. Null at first.', examples: [21_000_000] }),
    })
    .nullable()
    .meta({ description: 'How far the services are. Null before the first activation.' }),
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
