// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { serverUrl } from '../broker/server-url.ts';
import { userAuthStored, type userCredentials } from '../broker/user-auth.ts';
import { includeProof } from '../include-proof.ts';
import type { ChannelTarget } from '../sender.ts';

const url = serverUrl({
  protocols: ['redis:', 'rediss:'],
  path: /^(\/\d{0,5})?$/,
  example: 'rediss://redis.example.com:6379/0',
  description: 'The server; `rediss` speaks TLS. A path is the number of a database.',
});
const stream = z
  .string()
  .min(1)
  .max(255)
  .refine((key) => !/\p{C}/u.test(key), { error: 'expected no control characters' })
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

export const redisStored = { url, stream, max_length: maxLength, ...includeProof, auth: userAuthStored };
export type RedisTarget = ChannelTarget<
  z.output<z.ZodObject<typeof redisStored>>,
  z.output<typeof userCredentials>
>;

/** Members of a request beside the credentials. */
export const redisInput = { url, stream, max_length: maxLength.optional(), ...includeProof };
