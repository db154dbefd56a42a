// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { UpgradeBook } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/data/prisma';
import { explanationSchema, toExplanation } from './upgrade.ts';

/** Stored beside `open`: of what is set aside, more than one of a kind may be open. */
const QUARANTINED = 'quarantined';

/** The statuses in the database that `statuses` mean. */
export function storedStatuses(statuses: readonly IncidentStatus[] | undefined): string[] | undefined {
  return statuses?.flatMap((status) => (status === 'open' ? [status, QUARANTINED] : [status]));
}

type IncidentStatus = z.infer<typeof incidentStatusSchema>;

export const incidentStatusSchema = z.enum(['open', 'resolved', 'accepted']);

const subjectTypeSchema = z.enum(['address', 'asset', 'transaction', 'event', 'channel']);

export const incidentSchema = z
  .object({
    id: z
      .uuid()
      .meta({ description: 'Of the incident.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    chain_gid: z.string().meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] }),
    kind: z.string().meta({
      description:
        'What this release does not know; one such incident of a kind is open on a chain at a time. `poison:<step>`: what is set aside, because that step fails with it. `decimals:<asset>`: a token that was told with other decimals than it has. `skipped:<from>-<to>`: blocks that no node has and that the operator skipped.',
      examples: ['transaction-type:0x7d', 'poison:balances'],
    }),
    status: incidentStatusSchema.meta({
      description:
        '`open`: needs attention; `resolved`: a release or a node that knows the kind processed its blocks; `accepted`: the operator accepts the reported transactions of its blocks.',
    }),
    block_number: z.int().meta({ description: 'The first block that has it.', examples: [21_000_000] }),
    last_block_number: z
      .int()
      .nullable()
      .meta({
        description:
          'The last block that was taken with it so far. Null while the first one waits for a node that knows it.',
        examples: [21_000_100],
      }),
    transaction_hash: z
      .string()
      .nullable()
      .meta({
        description: 'The first transaction that has it. Null if it is in the block itself.',
        examples: ['0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b'],
      }),
    subject: z
      .object({
        type: subjectTypeSchema.meta({ description: 'What it is.', examples: ['address'] }),
        id: z.string().meta({
          description: 'Its id; of an asset its CAIP-19 identifier, of a transaction its hash.',
          examples: ['6f1d1f4e-0000-4000-8000-000000000002'],
        }),
      })
      .nullable()
      .meta({
        description:
          'What is set aside, so that the rest goes on (`poison:<step>`). It is tried again once a day, when the service starts, and after `actions/reprocess`. Null for what this release does not know.',
      }),
    asset_gid: z
      .string()
      .nullable()
      .meta({
        description: 'Of a balance that is set aside: which one of the address. Null otherwise.',
        examples: [null, 'eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7'],
      }),
    expected: z
      .string()
      .meta({ description: 'What this release knows.', examples: ['transaction types 0x0 to 0x4'] }),
    got: z.string().meta({ description: 'What came.', examples: ['transaction type 0x7d'] }),
    is_contradicted: z.boolean().meta({
      description:
        'Whether another node contradicts the unproved data. The log of tx-analyzer has the block and the transactions. Contradicted transactions are not confirmed before the incident is accepted.',
    }),
    upgrade: explanationSchema,
    created_at: z.iso
      .datetime()
      .meta({ description: 'When it was seen first.', examples: ['2026-01-01T00:00:00.000Z'] }),
    resolved_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When it was resolved. Null otherwise.', examples: [null] }),
    accepted_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When it was accepted. Null otherwise.', examples: [null] }),
  })
  .meta({ id: 'Incident' });

export function toIncidentRecord(
  row: Prisma.IncidentGetPayload<object>,
  upgrades: UpgradeBook,
): z.infer<typeof incidentSchema> {
  return {
    id: row.id,
    chain_gid: row.chainGid,
    kind: row.kind,
    status: row.status === QUARANTINED ? 'open' : incidentStatusSchema.parse(row.status),
    block_number: Number(row.blockNumber),
    last_block_number: row.lastBlockNumber === null ? null : Number(row.lastBlockNumber),
    transaction_hash: row.transactionHash,
    subject:
      row.subjectType === null || row.subjectId === null
        ? null
        : { type: subjectTypeSchema.parse(row.subjectType), id: row.subjectId },
    asset_gid: row.assetGid,
    expected: row.expected,
    got: row.got,
    is_contradicted: row.isContradicted,
    upgrade: toExplanation(upgrades.list(row.chainGid), { kind: row.kind, atMs: row.createdAt.getTime() }),
    created_at: row.createdAt.toISOString(),
    resolved_at: row.resolvedAt?.toISOString() ?? null,
    accepted_at: row.acceptedAt?.toISOString() ?? null,
  };
}
