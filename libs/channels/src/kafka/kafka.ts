// SPDX-License-Identifier: Apache-2.0
import { defineChannelKind } from '../define-channel-kind.ts';
import { createKafkaSender } from './create-kafka-sender.ts';
import { kafkaAuth, kafkaCredentials, kafkaInput, kafkaStored } from './kafka-config.ts';

/** A topic of a Kafka cluster of a customer. */
export const kafka = defineChannelKind({
  kind: 'kafka',
  docs: {
    title: 'Kafka',
    description: 'A topic of a Kafka cluster.',
    create: 'Create a channel that writes to your own Kafka topic',
    update: 'Change a Kafka channel; new brokers or another topic make a failed channel active again',
    createExample: {
      name: 'Payments',
      brokers: ['kafka.example.com:9093'],
      topic: 'payments',
      auth: { type: 'scram-sha-512', username: 'chainwatch', password: 'correct horse' },
    },
    updateExample: { topic: 'payments-v2' },
  },
  input: kafkaInput,
  secrets: { auth: kafkaAuth.optional().meta({ description: 'Credentials for the cluster, write-only.' }) },
  stored: kafkaStored,
  defaults: { events: 'movements', config: { tls: true, auth: { type: 'none' } } },
  credentials: kafkaCredentials,
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
