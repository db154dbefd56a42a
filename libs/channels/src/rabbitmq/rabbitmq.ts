// SPDX-License-Identifier: Apache-2.0
import { maskUser, sealUser, userAuthInput, userCredentials } from '../broker/user-auth.ts';
import { defineChannelKind } from '../define-channel-kind.ts';
import { createRabbitSender } from './create-rabbit-sender.ts';
import { rabbitInput, rabbitStored } from './rabbitmq-config.ts';

/** An exchange of a RabbitMQ server of a customer. */
export const rabbitmq = defineChannelKind({
  kind: 'rabbitmq',
  docs: {
    title: 'Rabbitmq',
    description: 'An exchange of a RabbitMQ server.',
    create: 'Create a channel that publishes to your own RabbitMQ server',
    update:
      'Change a RabbitMQ channel; a new URL, exchange, or routing key makes a failed channel active again',
    createExample: {
      name: 'Payments',
      url: 'amqps://rabbitmq.example.com:5671/payments',
      routing_key: 'payments',
      auth: { type: 'user', username: 'chainwatch', password: 'correct horse' },
    },
    updateExample: { routing_key: 'payments.v2' },
  },
  input: rabbitInput,
  secrets: { auth: userAuthInput },
  stored: rabbitStored,
  defaults: { events: 'movements', config: { exchange: '', auth: { type: 'none' } } },
  credentials: userCredentials,
  async check(given, { checkUrl }) {
    if (given.url !== undefined) await checkUrl(given.url, ['amqp:', 'amqps:']);
  },
  seal: sealUser,
  mask: maskUser,
  isNewTarget: (given, before) =>
    (given.url !== undefined && given.url !== before.url) ||
    (given.exchange !== undefined && given.exchange !== before.exchange) ||
    (given.routing_key !== undefined && given.routing_key !== before.routing_key) ||
    given.auth !== undefined,
  options: { idleMs: 60_000 },
  createSender: ({ dial }, { idleMs }) => createRabbitSender({ dial, idleMs }),
});
