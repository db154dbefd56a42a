// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findNetwork } from '@chainwatch/chain-registry';
import type { Network } from '@chainwatch/chain-core';
import type { Prisma } from '@chainwatch/data/prisma';
import { createdAtSchema, updatedAtSchema } from './recorded-times.ts';

/** A transaction that is kept from its users for that long is not confirmed in any useful sense. */
const DEPTH_MAX = 10_000;

const typeSchema = z.enum(['depth', 'finalized']);

export const policyInputSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z
        .literal('depth')
        .meta({ description: 'Confirmed after so many blocks, whatever the chain says of finality.' }),
      depth: z
        .int()
        .min(1)
        .max(DEPTH_MAX)
        .meta({
          description: 'Confirmations, the block of the transaction included.',
          examples: [20],
        }),
      unsafe: z
        .boolean()
        .optional()
        .meta({
          description:
            'Needed for fewer confirmations than the chain has by default: a reorg may undo what was confirmed, and `transaction.reorged` then says so.',
          examples: [false],
        }),
    })
    .meta({ id: 'DepthPolicyInput' }),
  z
    .strictObject({
      type: z
        .literal('finalized')
        .meta({ description: 'Confirmed when the block is final by the rule of the chain itself.' }),
    })
    .meta({ id: 'FinalizedPolicyInput' }),
]);

export const confirmationPolicySchema = z
  .object({
    chain_gid: z.string().meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] }),
    type: typeSchema.meta({
      description:
        '`depth`: confirmed after `depth` confirmations; `finalized`: when the block is final by the rule of the chain itself.',
    }),
    depth: z
      .int()
      .nullable()
      .meta({ description: 'Confirmations that are waited for. Null with `finalized`.', examples: [20] }),
    required_confirmations: z.int().meta({
      description: 'What transactions that are detected from now on show as `required_confirmations`.',
      examples: [20],
    }),
    is_unsafe: z.boolean().meta({
      description: 'Whether it waits for fewer confirmations than the chain has by default.',
      examples: [false],
    }),
    chain_default: z
      .object({
        type: typeSchema.meta({
          description: '`finalized`: what the node says, and `depth` where it does not; `depth`: that alone.',
        }),
        depth: z.int().meta({ description: 'Confirmations.', examples: [12] }),
      })
      .meta({ description: 'What holds without a policy.' }),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
  })
  .meta({
    id: 'ConfirmationPolicy',
    description: 'When transactions of the project are confirmed on a chain.',
  });

type PolicyRow = Prisma.ConfirmationPolicyGetPayload<object>;

export function toPolicyRecord(row: PolicyRow): z.infer<typeof confirmationPolicySchema> {
  const network = findNetwork(row.chainGid);
  // A chain that this build has lost shows what its policy says.
  const depth = network?.confirmation.depth ?? row.depth ?? 1;
  return {
    chain_gid: row.chainGid,
    type: row.depth === null ? 'finalized' : 'depth',
    depth: row.depth,
    required_confirmations: row.depth ?? depth,
    is_unsafe: row.depth !== null && row.depth < depth,
    chain_default: { type: typeOf(network), depth },
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function typeOf(network: Network | undefined): z.infer<typeof typeSchema> {
  return network?.confirmation.type === 'depth' ? 'depth' : 'finalized';
}
