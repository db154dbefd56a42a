// SPDX-License-Identifier: Apache-2.0
import { maskUser, sealUser, userAuthInput, userCredentials } from '../broker/user-auth.ts';
import { defineChannelKind } from '../define-channel-kind.ts';
import { createRedisSender } from './create-redis-sender.ts';
import { redisInput, redisStored } from './redis-stream-config.ts';

/** A stream of a Redis or Valkey server of a customer. */
export const redisStream = defineChannelKind({
  kind: 'redis_stream',
  docs: {
    title: 'RedisStream',
    description: 'A stream of a Redis server.',
    create: 'Create a channel that adds events to your own Redis stream',
    update: 'Change a Redis channel; a new URL or stream makes a failed channel active again',
    createExample: { name: 'Payments', url: 'rediss://redis.example.com:6379/0', stream: 'payments' },
    updateExample: { max_length: 1_000_000 },
  },
  input: redisInput,
  secrets: { auth: userAuthInput },
  stored: redisStored,
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
