// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { positiveDecimalSchema } from '@chainwatch/common/amounts';
import { assetGidSchema, chainGidSchema } from '@chainwatch/common/caip';
import { integerParameter, listParameter, pageParameters, sortParameter } from '@chainwatch/platform/http';
import { searchSchema, timestampSchema, untilSchema } from '../../records/path-schemas.ts';

export const hashSchema = z.string().regex(/^[0-9a-zA-Z]{1,128}$/, 'expected a transaction hash');

/** No memo holds NUL, which PostgreSQL would refuse. */
const memoParameter = z
  .string()
  .min(1)
  .max(1_024)
  .refine((text) => !text.includes('\0'), { error: 'expected text without NUL' })
  .optional();

export const transactionQuery = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['detected_at', 'block_number'], '-detected_at'),
  chain_gids: listParameter(chainGidSchema),
  addresses: listParameter(z.string().min(1).max(128)).meta({
    description: 'Only transactions that touch one of these addresses of the project.',
    examples: [['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045']],
  }),
  groups: listParameter(z.string().min(1).max(64)).meta({
    description: 'Only transactions that touch an address of the project in one of these groups.',
    examples: [['shop-7']],
  }),
  search: searchSchema.meta({
    description:
      'Only transactions that touch an address of the project whose label or address contains this, in upper or lower case. With `groups`, one and the same address has to pass both.',
    examples: ['Order 4711'],
  }),
  asset_gids: listParameter(assetGidSchema).meta({
    description: 'Only transactions that move one of these assets (CAIP-19).',
    examples: [['eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7']],
  }),
  statuses: listParameter(z.enum(['pending', 'detected', 'confirmed', 'reorged', 'failed'])),
  direction: z
    .enum(['in', 'out', 'self'])
    .optional()
    .meta({ description: 'Only transactions of that direction, as the monitored addresses see it.' }),
  hash: hashSchema.optional().meta({
    description: 'Only the transaction with that hash, as the chain writes it.',
    examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
  }),
  from_block: integerParameter(0).optional(),
  to_block: integerParameter(0).optional(),
  since: timestampSchema.optional(),
  until: untilSchema.optional(),
  min_amount: positiveDecimalSchema
    .max(160)
    .optional()
    .meta({
      description:
        'Only transactions with a transfer of at least this amount, in whole units of its asset; also those with a transfer whose decimals are unknown.',
      examples: ['0.01'],
    }),
  memo: memoParameter.meta({
    description:
      'Only transactions with this memo: the entire memo, one of its lines, or the memo of a transfer. Case-sensitive.',
    examples: ['order 1042'],
  }),
  memo_prefix: memoParameter.meta({
    description: 'The same for a memo that begins with it.',
    examples: ['order '],
  }),
  public_key_id: z.uuid().optional(),
});
export type TransactionQuery = z.infer<typeof transactionQuery>;
