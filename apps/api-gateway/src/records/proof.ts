// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { inclusionProofRecord, transactionRecord } from '@chainwatch/events';

/** What `GET …/proof` answers. */
export const proofSchema = inclusionProofRecord
  .extend({
    finality: z
      .object({
        status: transactionRecord.shape.status,
        confirmations: transactionRecord.shape.confirmations,
        required_confirmations: transactionRecord.shape.required_confirmations,
      })
      .meta({
        description: 'How far the chain has confirmed the block. This is our word, no part of the proof.',
      }),
  })
  .meta({ id: 'Proof' });
