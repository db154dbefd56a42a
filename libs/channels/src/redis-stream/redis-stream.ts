import { z } from 'zod';
import { serverUrl } from '../broker/server-url.ts';
import { maskUser, sealUser, userAuthInput, userAuthStored, userCredentials } from '../broker/user-auth.ts';
import { defineChannelKind } from '../define-channel-kind.ts';
import type { ChannelTarget } from '../sender.ts';
import { createRedisSender } from './create-redis-sender.ts';

const url = serverUrl({
  protocols: ['redis:', 'rediss:'],
  path: /^(\/\d{0,5})?$/,
  example: 'rediss://redis.example.com:6379/0',
  description: 'The server; `rediss` speaks TLS. A path is the number of a database.',
});
const stream = z
  .string()
  .regex(/^[^\p{C}]+$/u, 'expected a key without control characters')
  .max(255)
  .meta({ description: 'Key of the stream; Redis makes it with the first event.', examples: ['payments'] });
const maxLength = z
  .int()
  .min(1_000)
  .max(1_000_000_000)
  .nullable()
  .meta({
    description: 'Entries that Redis keeps, about; older ones go. Null: nothing is removed.',
    examples: [1_000_000],
  });

const stored = { url, stream, max_length: maxLength, auth: userAuthStored };
export type RedisTarget = ChannelTarget<
  z.output<z.ZodObject<typeof stored>>,
  z.output<typeof userCredentials>
>;

/** A stream of a Redis or Valkey server of a customer. */
export const redisStream = defineChannelKind({
  kind: 'redis_stream',
  docs: {
    title: 'RedisStream',
    description: 'A stream of a Redis server.',
    create: 'Create a channel that adds events to a Redis stream of yours',
    update: 'Change a Redis channel; a new URL or stream makes a failed channel active again',
    createExample: { name: 'Payments', url: 'rediss://redis.example.com:6379/0', stream: 'payments' },
    updateExample: { max_length: 1_000_000 },
  },
  input: { url, stream, max_length: maxLength.optional() },
  secrets: { auth: userAuthInput },
  stored,
  defaults: { events: 'movements', config: { max_length: null, auth: { type: 'none' } } },
  credentials: userCredentials,
  async check(given, { checkUrl }) {
    if (given.url !== undefined) await checkUrl(given.url, ['redis:', 'rediss:']);
  },
  seal: sealUser,
  mask: maskUser,
  isNewTarget: (given, before) =>
    (given.url !== undefined && given.url !== before.url) ||
    (given.stream !== undefined && given.stream !== before.stream) ||
    given.auth !== undefined,
  options: { idleMs: 60_000 },
  createSender: ({ dial }, { idleMs }) => createRedisSender({ dial, idleMs }),
});
