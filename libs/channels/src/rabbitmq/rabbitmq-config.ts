// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { serverUrl } from '../broker/server-url.ts';
import { userAuthStored, type userCredentials } from '../broker/user-auth.ts';
import { includeProof } from '../include-proof.ts';
import type { ChannelTarget } from '../sender.ts';

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

export const rabbitStored = { url, exchange, routing_key: routingKey, ...includeProof, auth: userAuthStored };
export type RabbitTarget = ChannelTarget<
  z.output<z.ZodObject<typeof rabbitStored>>,
  z.output<typeof userCredentials>
>;

/** Members of a request beside the credentials. */
export const rabbitInput = { url, exchange: exchange.optional(), routing_key: routingKey, ...includeProof };
