// SPDX-License-Identifier: Apache-2.0
import { VERIFICATIONS } from '@chainwatch/events';
import { z } from 'zod';

export const blockStatusSchema = z.enum(['new', 'processed', 'confirmed', 'reorged', 'skipped']);

export const blockSchema = z
  .object({
    chain_gid: z.string().meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] }),
    number: z.int().meta({ description: 'Height, on Solana the slot.', examples: [21_000_000] }),
    hash: z
      .string()
      .nullable()
      .meta({
        description: 'Null while the block is not fetched, and of skipped slots.',
        examples: ['0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3'],
      }),
    status: blockStatusSchema.meta({
      description:
        '`new`: discovered; `processed`: its transactions are stored; `confirmed`: final; `reorged`: it left the chain; `skipped`: a slot without a block.',
    }),
    parent_hash: z
      .string()
      .nullable()
      .meta({
        description: 'Of the block before. Null while the block is not fetched.',
        examples: ['0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6'],
      }),
    timestamp: z.iso
      .datetime()
      .nullable()
      .meta({
        description: 'When the block says that it was made. Null while it is not fetched.',
        examples: ['2026-01-01T00:00:00.000Z'],
      }),
    verification: z
      .enum(VERIFICATIONS)
      .nullable()
      .meta({
        description:
          'What stands behind the list of its transactions. `proved`: recomputed against the header. `agreed`: nodes of different operators list the same. `attested`: the chain offers no proof, one node states it. `settling`: a later block brings the proof. `unproved`: the proof is missing. Null while the block is not processed, and for blocks that an earlier release processed.',
        examples: ['proved'],
      }),
  })
  .meta({ id: 'Block' });

export interface BlockRow {
  readonly chainGid: string;
  readonly number: number;
  readonly hash: string | null;
  readonly parentHash: string | null;
  readonly blockTimestamp: Date | null;
  readonly status: string;
  readonly verification: string | null;
}

export function toBlockRecord(row: BlockRow): z.infer<typeof blockSchema> {
  return {
    chain_gid: row.chainGid,
    number: row.number,
    hash: row.hash,
    status: blockStatusSchema.parse(row.status),
    parent_hash: row.parentHash,
    timestamp: row.blockTimestamp?.toISOString() ?? null,
    verification: blockSchema.shape.verification.parse(row.verification),
  };
}
