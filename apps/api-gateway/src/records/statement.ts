// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { createdAtSchema } from './recorded-times.ts';

export const STATEMENT_FORMATS = ['csv', 'ndjson', 'html'] as const;
export type StatementFormatName = (typeof STATEMENT_FORMATS)[number];

/** What was asked for, as the database has it. */
export interface StatementRequest {
  /** One of the three; `address_ids` of the addresses that were named. */
  readonly address_ids?: readonly string[];
  readonly addresses?: readonly string[];
  readonly group?: string;
  readonly public_key_id?: string;
  readonly chain_gids: readonly string[] | null;
  readonly from: string;
  readonly to: string;
}

export const statementStatusSchema = z.enum(['queued', 'running', 'completed', 'failed']);

const nullableTime = (description: string) =>
  z.iso
    .datetime()
    .nullable()
    .meta({ description, examples: ['2026-11-28T09:00:05.000Z'] });

export const statementSchema = z
  .object({
    id: z
      .uuid()
      .meta({ description: 'Of the statement.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    status: statementStatusSchema.meta({
      description: '`completed`: the document can be downloaded. `failed`: `reason` says why.',
      examples: ['completed'],
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it failed, or is tried again. Null otherwise.', examples: [null] }),
    addresses: z
      .array(z.string())
      .nullable()
      .meta({
        description: 'The addresses that were named. Null where a group or a public key selects them.',
        examples: [['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045']],
      }),
    group: z
      .string()
      .nullable()
      .meta({ description: 'The group that selects the addresses, or null.', examples: [null] }),
    public_key_id: z
      .uuid()
      .nullable()
      .meta({ description: 'The public key that selects the addresses, or null.', examples: [null] }),
    chain_gids: z
      .array(z.string())
      .nullable()
      .meta({
        description: 'The chains (CAIP-2). Null: all chains of the addresses.',
        examples: [['eip155:1']],
      }),
    from: z.iso.datetime().meta({
      description: 'The beginning of the period, inclusive.',
      examples: ['2026-10-01T00:00:00.000Z'],
    }),
    to: z.iso
      .datetime()
      .meta({ description: 'The end of the period, exclusive.', examples: ['2026-11-01T00:00:00.000Z'] }),
    format: z.enum(STATEMENT_FORMATS).meta({ description: 'Of the document.', examples: ['ndjson'] }),
    progress: z
      .object({
        addresses_done: z.int().meta({ description: 'Addresses that are written.', examples: [12] }),
        addresses_total: z.int().meta({ description: 'Addresses of the statement.', examples: [12] }),
        movements: z.int().meta({ description: 'Movements that are written.', examples: [3_402] }),
        gaps: z.int().meta({
          description: 'Declared gaps that are written: what the statement does not know.',
          examples: [1],
        }),
        unexplained: z
          .int()
          .min(0)
          .meta({
            description: 'Balances that are written and have a part that no movement explains.',
            examples: [0],
          }),
      })
      .meta({ description: 'How far it is.' }),
    size: z
      .int()
      .nullable()
      .meta({ description: 'Bytes of the document. Null before it is completed.', examples: [1_048_576] }),
    signature: z
      .object({
        kid: z.string().meta({
          description: 'The key, one of `/.well-known/chainwatch-keys`.',
          examples: ['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'],
        }),
        algorithm: z.literal('Ed25519').meta({ description: 'RFC 8032.', examples: ['Ed25519'] }),
        sha256: z.string().meta({
          description:
            'SHA-256 of the document as hexadecimal; of an `ndjson` document of all lines before the last one, which is its signature.',
          examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
        }),
        value: z.string().meta({
          description: 'Signature of the 32 bytes of that SHA-256, as base64.',
          examples: [
            '5VZDAMNgrHKQhuLMgG6CioSHfx64556PYNrBe6nqCHgKAwUMdn4E4wd4cGXxfTx1SzVPbXNwuD+6bd4W36DnCQ==',
          ],
        }),
      })
      .nullable()
      .meta({ description: 'Null before it is completed.' }),
    created_at: createdAtSchema,
    started_at: nullableTime('When it was begun last. Null while it is queued for the first time.'),
    finished_at: nullableTime('When it was completed or failed. Null before.'),
    expires_at: z.iso
      .datetime()
      .nullable()
      .meta({
        description: 'When it is deleted with its document, 90 days after it was finished. Null before.',
        examples: ['2027-02-26T09:00:05.000Z'],
      }),
  })
  .meta({ id: 'Statement' });

/** A path parameter. */
export const statementParams = z.object({ statement_id: z.uuid() });

export type StatementRow = Prisma.StatementGetPayload<object>;

export function toStatementRecord(row: StatementRow): z.infer<typeof statementSchema> {
  // Written by the route alone, from a body that was checked.
  const request = row.request as unknown as StatementRequest;
  const { sha256, signature: value, kid } = row;
  return {
    ...{ id: row.id, status: statementStatusSchema.parse(row.status), reason: row.reason },
    addresses: request.addresses === undefined ? null : [...request.addresses],
    ...{ group: request.group ?? null, public_key_id: request.public_key_id ?? null },
    chain_gids: request.chain_gids === null ? null : [...request.chain_gids],
    ...{ from: request.from, to: request.to, format: z.enum(STATEMENT_FORMATS).parse(row.format) },
    progress: {
      ...{ addresses_done: row.addressesDone, addresses_total: row.addressCount },
      ...{ movements: Number(row.movementCount), gaps: Number(row.gapCount) },
      unexplained: Number(row.unexplainedCount),
    },
    size: row.size === null ? null : Number(row.size),
    signature:
      sha256 === null || value === null || kid === null ? null : { kid, algorithm: 'Ed25519', sha256, value },
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
    expires_at: row.expiresAt?.toISOString() ?? null,
  };
}
