// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { includeProof } from '../include-proof.ts';
import type { ChannelTarget } from '../sender.ts';

const queueUrl = z
  .url({ protocol: /^https?$/, error: 'expected the https URL of a queue' })
  .max(2_048)
  .refine(
    (value) => {
      const url = URL.parse(value);
      return (
        url === null || (url.username === '' && url.password === '' && url.search === '' && url.hash === '')
      );
    },
    { error: 'expected a URL without user name, password, query, and fragment' },
  )
  .meta({
    description: 'The queue, as SQS names it. One that ends with `.fifo` keeps the order of each address.',
    examples: ['https://sqs.eu-central-1.amazonaws.com/123456789012/payments.fifo'],
  });
const region = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, 'expected a region such as eu-central-1')
  .nullable()
  .meta({ description: 'Its region. Null: the one in the URL.', examples: ['eu-central-1'] });

export const sqsAuth = z
  .strictObject({
    access_key_id: z
      .string()
      .regex(/^\w{16,128}$/, 'expected an access key id')
      .meta({ description: 'The id of the access key.', examples: ['AKIAIOSFODNN7EXAMPLE'] }),
    secret_access_key: z
      .string()
      .regex(/^[\x21-\x7e]{16,256}$/, 'expected a secret access key')
      .meta({ description: 'The secret.', examples: ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'] }),
  })
  .meta({
    description: 'An access key that may `sqs:SendMessage`. The secret is write-only.',
  });

export const sqsStored = {
  queue_url: queueUrl,
  region,
  ...includeProof,
  auth: z
    .object({
      access_key_id: z
        .string()
        .meta({ description: 'The id of the access key.', examples: ['AKIAIOSFODNN7EXAMPLE'] }),
    })
    .meta({ description: 'The access key, without its secret.' }),
};
export const sqsCredentials = z.object({ auth: sqsAuth });
export type SqsTarget = ChannelTarget<
  z.output<z.ZodObject<typeof sqsStored>>,
  z.output<typeof sqsCredentials>
>;

/** Members of a request beside the credentials. */
export const sqsInput = { queue_url: queueUrl, region: region.optional(), ...includeProof };
