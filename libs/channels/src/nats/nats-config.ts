// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { includeProof } from '../include-proof.ts';
import type { ChannelTarget } from '../sender.ts';
import { natsAuthSchema, readUserInfo } from './nats-auth.ts';

// NATS subjects: tokens with dots between. Wildcards are for subscribers, `$` is the server's own (decisions.md §4).
const SUBJECT = /^(?!\$)[^\s.*>\p{C}]+(\.[^\s.*>\p{C}]+)*$/u;
const natsUrl = z
  .string()
  .max(16_384)
  .refine(isServerUrl, { error: 'expected a URL of one server, nats://host:4222 or tls://host:4222' })
  .refine((url) => !isServerUrl(url) || readUserInfo(url) !== undefined, {
    error: 'expected user:password, a token, an nkey seed or a .creds file before the @',
  });

/** Members of a request that hold a secret, or may. */
export const natsSecrets = {
  url: natsUrl.meta({
    format: 'uri',
    description:
      'The server, with credentials before the `@` where `auth` does not give them; they are masked when read.',
    examples: ['nats://nats.example.com:4222'],
  }),
  auth: natsAuthSchema.optional().meta({ description: 'Credentials, write-only.' }),
};

/** The others. */
export const natsInput = {
  subject: z
    .string()
    .min(1)
    .max(255)
    .refine((subject) => SUBJECT.test(subject), {
      error: 'expected a subject without wildcards, spaces and a leading $',
    })
    .meta({
      description:
        'The subject to publish to: words with dots between, without wildcards, spaces, control characters and a leading `$`.',
      examples: ['payments.chainwatch'],
    }),
  ...includeProof,
};

/** What is stored and shown; the credentials are sealed beside it. */
export const natsStored = {
  url: z
    .string()
    .meta({ description: 'The server, credentials masked.', examples: ['nats://nats.example.com:4222'] }),
  subject: z
    .string()
    .meta({ description: 'The subject it publishes to.', examples: ['payments.chainwatch'] }),
  auth: z
    .object({
      type: z.enum(['none', 'user', 'token', 'nkey', 'creds']).meta({ description: 'Kind of credentials.' }),
    })
    .meta({ description: 'Which credentials are stored; they themselves are not shown.' }),
  ...includeProof,
};

export const natsCredentials = z.object({ auth: natsAuthSchema.default({ type: 'none' }) });
export type NatsTarget = ChannelTarget<
  z.output<z.ZodObject<typeof natsStored>>,
  z.output<typeof natsCredentials>
>;

function isServerUrl(value: string): boolean {
  const url = URL.parse(value);
  return (
    url !== null &&
    (url.protocol === 'nats:' || url.protocol === 'tls:') &&
    url.hostname !== '' &&
    ['', '/'].includes(url.pathname) &&
    url.search === '' &&
    url.hash === ''
  );
}
