// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { includeProof } from '../include-proof.ts';
import type { ChannelTarget } from '../sender.ts';
import { findReservedHeader } from './reserved-headers.ts';

// RFC 9110: a field name is a token, a value visible text without control characters.
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'expected a header name');
const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e]{0,1024}$/, 'expected at most 1024 printable ASCII characters');

const headersSchema = z
  .record(headerName, headerValue)
  .refine((headers) => Object.keys(headers).length <= 20, { error: 'expected at most 20 headers' })
  .superRefine((headers, ctx) => {
    for (const name of Object.keys(headers)) {
      const reason = findReservedHeader(name);
      if (reason !== undefined) ctx.addIssue({ code: 'custom', path: [name], message: reason });
    }
  });

const secretText = z.string().regex(/^[\x20-\x7e]{1,1024}$/, 'expected 1 to 1024 printable ASCII characters');

/** Write-only: reads show the type alone. May only be widened, because it reads the sealed credentials of every release. */
const authSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('none').meta({ description: 'No credentials.' }) })
      .meta({ id: 'WebhookAuthNone' }),
    z
      .strictObject({
        type: z.literal('basic').meta({ description: 'User and password (RFC 7617).' }),
        username: secretText
          .refine((name) => !name.includes(':'), 'expected no colon')
          .meta({ description: 'The user, without a colon.', examples: ['chainwatch'] }),
        password: secretText.meta({ description: 'The password.', examples: ['correct horse'] }),
      })
      .meta({ id: 'WebhookAuthBasic' }),
    z
      .strictObject({
        type: z.literal('bearer').meta({ description: 'A bearer token (RFC 6750).' }),
        token: secretText.meta({ description: 'The token.', examples: ['s3cr3t'] }),
      })
      .meta({ id: 'WebhookAuthBearer' }),
    z
      .strictObject({
        type: z.literal('header').meta({ description: 'A header of its own.' }),
        name: headerName
          .refine(
            (name) => !findReservedHeader(name, { isCredential: true }),
            'expected a header name that is not reserved',
          )
          .meta({ description: 'Its name.', examples: ['X-Hook-Token'] }),
        value: secretText.meta({ description: 'Its value.', examples: ['s3cr3t'] }),
      })
      .meta({ id: 'WebhookAuthHeader' }),
  ])
  .meta({ id: 'WebhookAuth' });
export type WebhookAuth = z.infer<typeof authSchema>;

const isPlainUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
};

/** Members of a request that hold a secret. */
export const webhookSecrets = {
  auth: authSchema.optional().meta({ description: 'Credentials for the receiver, write-only.' }),
};

/** The others. */
export const webhookInput = {
  url: z
    .url({ protocol: /^https?$/, error: 'expected an https URL' })
    .max(2_048)
    .refine(isPlainUrl, { error: 'expected a URL without user name and password; use auth instead' })
    .meta({
      description: 'Where events are POSTed to; https, where configuration does not allow http.',
      examples: ['https://hooks.example.com/chainwatch'],
    }),
  headers: headersSchema
    .optional()
    .meta({ description: 'Sent with every delivery, at most 20.', examples: [{ 'X-Team': 'payments' }] }),
  standard_webhooks: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether deliveries also contain the headers of Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`, with the entire secret as key. Default false.',
      examples: [true],
    }),
  throttle_per_second: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .optional()
    .meta({ description: 'Deliveries a second at most. Null: as many as come.', examples: [10] }),
  ...includeProof,
};

/** What is stored and shown; the secrets of `auth` are sealed beside it. */
export const webhookStored = {
  url: z
    .string()
    .meta({ description: 'Where events are POSTed to.', examples: ['https://hooks.example.com/chainwatch'] }),
  headers: z
    .record(z.string(), z.string())
    .meta({ description: 'Sent with every delivery.', examples: [{ 'X-Team': 'payments' }] }),
  auth: z
    .object({
      type: z.enum(['none', 'basic', 'bearer', 'header']).meta({ description: 'Kind of credentials.' }),
    })
    .meta({ description: 'Which credentials are stored; they themselves are not shown.' }),
  standard_webhooks: z.boolean().meta({
    description: 'Whether deliveries carry the headers of Standard Webhooks, too.',
    examples: [false],
  }),
  throttle_per_second: z
    .int()
    .nullable()
    .meta({ description: 'Deliveries a second at most. Null: as many as come.', examples: [null] }),
  ...includeProof,
};

export const webhookCredentials = z.object({ auth: authSchema.default({ type: 'none' }) });
export type WebhookTarget = ChannelTarget<
  z.output<z.ZodObject<typeof webhookStored>>,
  z.output<typeof webhookCredentials>
>;
