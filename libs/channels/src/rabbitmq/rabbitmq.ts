import { z } from 'zod';
import { serverUrl } from '../broker/server-url.ts';
import { maskUser, sealUser, userAuthInput, userAuthStored, userCredentials } from '../broker/user-auth.ts';
import { defineChannelKind } from '../define-channel-kind.ts';
import type { ChannelTarget } from '../sender.ts';
import { createRabbitSender } from './create-rabbit-sender.ts';

const url = serverUrl({
  protocols: ['amqp:', 'amqps:'],
  path: /^(\/[^/]*)?$/,
  example: 'amqps://rabbitmq.example.com:5671/payments',
  description:
    'The server, AMQP 0-9-1; `amqps` speaks TLS. A path is the virtual host; without one it is `/`.',
});
// AMQP's short strings have at most 255 bytes.
const shortText = z
  .string()
  .refine((value) => Buffer.byteLength(value) <= 255, { error: 'expected at most 255 bytes' })
  .refine((value) => !/\p{C}/u.test(value), { error: 'expected no control characters' });
const exchange = shortText.meta({
  description: 'The exchange. Empty: the default one, which takes the routing key as the name of a queue.',
  examples: ['chainwatch'],
});
const routingKey = shortText.min(1).meta({
  description: 'The routing key of every message.',
  examples: ['payments'],
});

const stored = { url, exchange, routing_key: routingKey, auth: userAuthStored };
export type RabbitTarget = ChannelTarget<
  z.output<z.ZodObject<typeof stored>>,
  z.output<typeof userCredentials>
>;

/** An exchange of a RabbitMQ server of a customer. */
export const rabbitmq = defineChannelKind({
  kind: 'rabbitmq',
  docs: {
    title: 'Rabbitmq',
    description: 'An exchange of a RabbitMQ server.',
    create: 'Create a channel that publishes to a RabbitMQ server of yours',
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
  input: { url, exchange: exchange.optional(), routing_key: routingKey },
  secrets: { auth: userAuthInput },
  stored,
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
