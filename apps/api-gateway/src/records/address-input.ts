// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { groupNameSchema } from '@chainwatch/channels';

const MAX_METADATA_BYTES = 16_384;

export const labelSchema = z.string().trim().min(1).max(255);

/** Any JSON object of at most 50 members and 16 KiB. */
export const metadataSchema = z
  .record(z.string().min(1).max(128), z.unknown())
  .refine((value) => Object.keys(value).length <= 50, { error: 'expected at most 50 members' })
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES, {
    error: `expected at most ${MAX_METADATA_BYTES} bytes as JSON`,
  });

/** Names of the user's own, each once. */
export const groupsSchema = z
  .array(groupNameSchema)
  .max(20)
  .transform((names) => [...new Set(names)])
  .meta({
    description:
      'Your own groups for the address, maximum 20, used in filters of lists and channels. No commas.',
    examples: [['customers', 'eu']],
  });

/** An address as a path parameter: any form that its family reads. */
export const addressParams = z.object({ address: z.string().min(1).max(128) });
