import { z } from 'zod';
import { defineChannelKind } from '../define-channel-kind.ts';
import type { ChannelTarget } from '../sender.ts';
import { createKafkaSender } from './create-kafka-sender.ts';

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
    description: 'Servers to ask first; the cluster tells the others, which pass the same guard.',
    examples: [['kafka.example.com:9093']],
  });
const topic = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, 'expected letters, digits, dots, hyphens, underscores')
  .meta({ description: 'The topic; it is not created.', examples: ['payments'] });
const tls = z.boolean().meta({ description: 'Whether to speak TLS. Default true.', examples: [true] });

const mechanism = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const saslSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('none').meta({ description: 'No credentials.' }) })
      .meta({ id: 'KafkaAuthNone' }),
    ...mechanism.map((type) =>
      z.strictObject({
        type: z.literal(type).meta({ description: 'The SASL mechanism.' }),
        username: text.meta({ description: 'The user.', examples: ['chainwatch'] }),
        password: text.meta({ description: 'Its password.', examples: ['correct horse'] }),
      }),
    ),
  ])
  .meta({ id: 'KafkaAuth' });

const stored = {
  brokers,
  topic,
  tls,
  auth: z
    .object({ type: z.enum(['none', ...mechanism]).meta({ description: 'Kind of credentials.' }) })
    .meta({ description: 'Which credentials are stored; they themselves are not shown.' }),
};
const credentials = z.object({ auth: saslSchema.default({ type: 'none' }) });
export type KafkaTarget = ChannelTarget<z.output<z.ZodObject<typeof stored>>, z.output<typeof credentials>>;

/** A topic of a Kafka cluster of a customer. */
export const kafka = defineChannelKind({
  kind: 'kafka',
  docs: {
    title: 'Kafka',
    description: 'A topic of a Kafka cluster.',
    create: 'Create a channel that writes to a Kafka topic of yours',
    update: 'Change a Kafka channel; new brokers or another topic make a failed channel active again',
    createExample: {
      name: 'Payments',
      brokers: ['kafka.example.com:9093'],
      topic: 'payments',
      auth: { type: 'scram-sha-512', username: 'chainwatch', password: 'correct horse' },
    },
    updateExample: { topic: 'payments-v2' },
  },
  input: { brokers, topic, tls: tls.optional() },
  secrets: { auth: saslSchema.optional().meta({ description: 'Credentials for the cluster, write-only.' }) },
  stored,
  defaults: { events: 'movements', config: { tls: true, auth: { type: 'none' } } },
  credentials,
  async check(given, { checkUrl }) {
    for (const server of given.brokers ?? []) await checkUrl(`kafka://${server}`, ['kafka:']);
  },
  seal: ({ auth }) => (auth === undefined || auth.type === 'none' ? null : { auth }),
  mask: ({ auth }) => ({ auth: { type: auth?.type ?? 'none' } }),
  isNewTarget: (given, before) =>
    (given.brokers !== undefined && given.brokers.join() !== before.brokers.join()) ||
    (given.topic !== undefined && given.topic !== before.topic) ||
    (given.tls !== undefined && given.tls !== before.tls) ||
    given.auth !== undefined,
  options: { idleMs: 60_000 },
  // The client may change the order of messages that it is given at once.
  limits: () => ({ concurrency: 1 }),
  createSender: ({ dial }, { idleMs }) => createKafkaSender({ dial, idleMs }),
});
