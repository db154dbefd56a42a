// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

/** Of kinds whose receivers get events as they are: a member of create and update bodies, and of what is stored. */
export const includeProof = {
  include_proof: z
    .enum(['none', 'link', 'inline'])
    .optional()
    .meta({
      description:
        'Whether transaction events have `data.proof`, which shows that the transaction is in its block. `link`: a link to the proof. `inline`: the proof itself, up to 16 KiB; a longer one, or one that no node gives within 5 seconds, is a link. Absent: `none`. Events of transactions that are in no block have no proof.',
      examples: ['inline'],
    }),
};
