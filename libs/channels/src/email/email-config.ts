// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { ChannelTarget } from '../sender.ts';

const address = z
  .email('expected an e-mail address, such as ops@example.com')
  .max(254)
  .regex(/^[\x21-\x7e]+$/, 'expected ASCII characters');

/** Members of a request that become something else where they are stored. */
export const emailSecrets = {
  recipients: z
    .array(address)
    .min(1)
    .max(10)
    .transform((list) => [...new Map(list.map((one) => [one.toLowerCase(), one])).values()])
    .meta({
      description:
        'Up to 10 addresses. Each new one gets a link, and no event before it was followed. One that is named again before gets another link.',
      examples: [['ops@example.com']],
    }),
};

const recipient = z.object({
  address: z.string().meta({ description: 'Where mails go.', examples: ['ops@example.com'] }),
  status: z.enum(['pending', 'confirmed', 'stopped']).meta({
    description:
      '`pending`: was asked, and gets no event yet; `confirmed`: gets them; `stopped`: does not want them any more.',
  }),
  requested_at: z.iso
    .datetime()
    .meta({ description: 'When it was named.', examples: ['2026-01-01T00:00:00.000Z'] }),
  answered_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When it confirmed or stopped. Null before.', examples: [null] }),
});
export type Recipient = z.output<typeof recipient>;

export const emailStored = {
  recipients: z.array(recipient).meta({ description: 'Who gets the mails, and whether they agreed.' }),
};
export type EmailConfig = z.output<z.ZodObject<typeof emailStored>>;

/** The key that links are signed with. */
export const emailCredentials = z.object({ link_key: z.string() });
export type EmailTarget = ChannelTarget<EmailConfig, z.output<typeof emailCredentials>>;

export function makeLinkKey(): { link_key: string } {
  return { link_key: randomBytes(32).toString('base64') };
}

/** Confirmed recipients stay confirmed; all others are asked, even if they were asked before. */
export function nameRecipients(
  addresses: readonly string[],
  before: EmailConfig | undefined,
  now: Date,
): EmailConfig {
  const known = new Map(before?.recipients.map((one) => [one.address.toLowerCase(), one]));
  return {
    recipients: addresses.map((named): Recipient => {
      const one = known.get(named.toLowerCase());
      if (one?.status === 'confirmed') return one;
      return { address: named, status: 'pending', requested_at: now.toISOString(), answered_at: null };
    }),
  };
}

/** Why no event can be sent yet. */
export function findObstacle({ recipients }: EmailConfig): string | undefined {
  if (recipients.some(({ status }) => status === 'confirmed')) return undefined;
  return recipients.every(({ status }) => status === 'stopped')
    ? 'every recipient stopped the mails'
    : 'no recipient has confirmed yet: events are held until one follows the link in its mail';
}
