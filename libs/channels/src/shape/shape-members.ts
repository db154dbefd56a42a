// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { isEventPath } from '@chainwatch/events';

export const FORMATS = ['native', 'cloudevents'] as const;

const FIELDS_MAX = 50;
const FIELD_LENGTH_MAX = 200;

const format = z
  .enum(FORMATS)
  .optional()
  .meta({
    description:
      'How events are written. `native`: as the API shows them. `cloudevents`: as structured JSON of CloudEvents 1.0, with the content type `application/cloudevents+json`. Absent: `native`.',
    examples: ['cloudevents'],
  });

const FIELDS = {
  description:
    'Members of `data` to send, as paths of names; the others are left out. A path goes through lists to each of their items. The envelope (`event_id`, `type`, and the other members beside `data`) and the proof that `include_proof` asks for are always sent. Absent: everything.',
  examples: [['data.transaction.hash', 'data.transaction.transfers.amount']],
};

/** Of kinds whose receivers get events as they are: members of create and update bodies. */
export const shapeInput = {
  format,
  fields: z
    .array(
      z
        .string()
        .min(1)
        .max(FIELD_LENGTH_MAX)
        .refine(isEventPath, {
          error: ({ input }) =>
            `expected a member of events such as "data.transaction.hash", got ${JSON.stringify(input)}`,
        }),
    )
    .min(1)
    .max(FIELDS_MAX)
    .nullable()
    .optional()
    .meta({ ...FIELDS, description: `${FIELDS.description} Null: everything, too.` }),
};

/** The same as stored and shown. */
export const shapeStored = {
  format,
  fields: z.array(z.string()).nullable().optional().meta(FIELDS),
};
