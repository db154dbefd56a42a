// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { includeProof } from '../include-proof.ts';
import type { ChannelTarget } from '../sender.ts';

const text = z.string().min(1).max(1_024);
/** `host:port`, an IPv6 address in brackets. */
const broker = z
  .string()
  .max(300)
  .refine(
    (value) => {
      const url = URL.parse(`kafka://${value}`);
      return url !== null && url.port !== '' && url.host === value.toLowerCase();
    },
    { error: 'expected a server and its port, such as kafka.example.com:9093' },
  )
  .meta({ description: 'A server and its port.', examples: ['kafka.example.com:9093'] });
const brokers = z
  .array(broker)
  .min(1)
  .max(10)
  .meta({
    description: 'Bootstrap servers. The cluster reports the others, which pass the same check.',
    examples: [['kafka.example.com:9093']],
  });
const topic = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,249}$/, 'expected letters, digits, dots, hyphens, underscores')
  .refine((name) => !/^\.{1,2}$/.test(name), { error: 'expected more than dots' })
  .meta({ description: 'The topic; it is not created.', examples: ['payments'] });
const tls = z.boolean().meta({ description: 'Whether to speak TLS. Default true.', examples: [true] });

const mechanisms = {
  plain: 'KafkaAuthPlain',
  'scram-sha-256': 'KafkaAuthScramSha256',
  'scram-sha-512': 'KafkaAuthScramSha512',
} as const;
const names = Object.keys(mechanisms) as (keyof typeof mechanisms)[];
export const kafkaAuth = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('none').meta({ description: 'No credentials.' }) })
      .meta({ id: 'KafkaAuthNone' }),
    ...names.map((type) =>
      z
        .strictObject({
          type: z.literal(type).meta({ description: 'The SASL mechanism.' }),
          username: text.meta({ description: 'The user.', examples: ['chainwatch'] }),
          password: text.meta({ description: 'Its password.', examples: ['correct horse'] }),
        })
        .meta({ id: mechanisms[type] }),
    ),
  ])
  .meta({ id: 'KafkaAuth' });

export const kafkaStored = {
  brokers,
  topic,
  tls,
  ...includeProof,
  auth: z
    .object({ type: z.enum(['none', ...names]).meta({ description: 'Kind of credentials.' }) })
    .meta({ description: 'Which credentials are stored; they themselves are not shown.' }),
};
export const kafkaCredentials = z.object({ auth: kafkaAuth.default({ type: 'none' }) });
export type KafkaTarget = ChannelTarget<
  z.output<z.ZodObject<typeof kafkaStored>>,
  z.output<typeof kafkaCredentials>
>;

/** Members of a request beside the credentials. */
export const kafkaInput = { brokers, topic, tls: tls.optional(), ...includeProof };
