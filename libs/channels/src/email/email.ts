// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { ConfigError, url } from '@chainwatch/config';
import { unprocessableEntity } from '@chainwatch/problem';
import { defineChannelKind } from '../define-channel-kind.ts';
import { formatEvents, subjectOfEvents, type Markup } from '../format-events.ts';
import { askRecipients } from './ask-recipients.ts';
import {
  emailCredentials,
  emailSecrets,
  emailStored,
  findObstacle,
  makeLinkKey,
  nameRecipients,
} from './email-config.ts';
import { channelOfToken, followLink } from './mail-links.ts';
import { createMailer, type MailServer } from './mail-server.ts';
import { sendMails } from './send-mails.ts';

const LENGTH_MAX = 50_000;
interface EmailOptions {
  readonly server: MailServer | undefined;
  readonly intervalMs: number;
  readonly digestMax: number;
}
/** At most one mail a minute to each recipient: what comes meanwhile is in the next one. */
const OPTIONS: EmailOptions = { server: undefined, intervalMs: 60_000, digestMax: 200 };
const plain: Markup = {
  bold: (text) => text,
  code: (text) => text,
  escape: (text) => text,
  link: ({ text, url }) => `${text}: ${url}`,
  separator: '\n',
};

/** Mails to people who agreed to get them, through the installation's mail server. */
export const email = defineChannelKind({
  kind: 'email',
  docs: {
    title: 'Email',
    description: 'Mails to people who agreed to get them.',
    create:
      'Create a channel that sends mails; each recipient is asked first, and events are held until then',
    update: 'Change an e-mail channel; recipients that are new, or have not confirmed, are asked',
    createExample: { name: 'Payments', recipients: ['ops@example.com'] },
    updateExample: { event_types: ['transaction.confirmed'] },
  },
  input: {},
  secrets: emailSecrets,
  stored: emailStored,
  defaults: { events: 'payments', config: {} },
  credentials: emailCredentials,
  async check({ recipients }, _context, { server }) {
    if (recipients !== undefined && server === undefined)
      throw unprocessableEntity(
        'This installation sends no e-mail: its operator has to set SMTP_URL, SMTP_FROM and PUBLIC_URL.',
      );
  },
  // The links of a channel are good for as long as it is there.
  seal: (_given, before) => (before === undefined ? makeLinkKey() : undefined),
  mask: ({ recipients }, before) => nameRecipients(recipients, before, new Date()),
  isNewTarget: ({ recipients }) => recipients !== undefined,
  obstacle: findObstacle,
  consent: {
    ask: (channel, context, options) => askRecipients(channel, context, options),
    channelOf: channelOfToken,
    follow: followLink,
  },
  fatal: {
    not_confirmed: 'no recipient has confirmed, or all of them stopped the mails',
    recipients_refused: 'the mail server refuses every recipient',
  },
  // A link is a credential of its recipient, and the server's URL has its password.
  hides: [/(?<=\/mail\/)[\w-]{20,}/g, /(?<=smtps?:\/\/)[^@\s]+(?=@)/g],
  environment: {
    variables: {
      /** The mail server: `smtp://user:password@host:587`, or `smtps:` for TLS from the first byte. */
      SMTP_URL: url('smtp', 'smtps').optional(),
      /** `smtp:` demands STARTTLS; `off` is for a relay on the same machine or network. */
      SMTP_TLS: z.enum(['required', 'off']).default('required'),
      /** Who the mails are from: `alerts@example.com`, or with a name, `Alerts <alerts@example.com>`. */
      SMTP_FROM: z
        .string()
        .regex(/^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/)
        .optional(),
      /** Where recipients of mails reach the gateway, without `/v1`. */
      PUBLIC_URL: url('http', 'https').optional(),
      /** Who runs this installation, as recipients of mails know it: `Acme Payments`. */
      BRAND_NAME: z
        .string()
        .trim()
        .min(1)
        .max(64)
        .regex(/^[^\p{C}]*$/u, 'expected one line')
        .optional(),
      /** Its website. */
      BRAND_URL: url('http', 'https').optional(),
    },
    read: readServer,
  },
  options: OPTIONS,
  limits: (_target, { intervalMs, digestMax }) => ({
    concurrency: 1,
    intervalMs,
    digest: { from: 2, max: digestMax },
  }),
  // The subject stands before the text: see splitBody.
  render: (payloads, names) =>
    `${subjectOfEvents(payloads, names)}\n\n${formatEvents(payloads, names, { markup: plain, lengthMax: LENGTH_MAX })}`,
  createSender(_context, { server }) {
    const mailer = server && createMailer(server);
    return {
      send: (request) => sendMails(request, { mailer, server }),
      close: async () => mailer?.close(),
    };
  },
});

/** @throws ConfigError when one of them is there without the others */
function readServer(values: Readonly<Record<string, unknown>>): { readonly server: MailServer | undefined } {
  const { SMTP_URL: smtp, SMTP_FROM: from, PUBLIC_URL: publicUrl, SMTP_TLS: tls } = values;
  const { BRAND_NAME: brandName, BRAND_URL: brandUrl } = values as Readonly<
    Record<string, string | undefined>
  >;
  if (smtp === undefined) return { server: undefined };
  const missing = Object.entries({ SMTP_FROM: from, PUBLIC_URL: publicUrl }).flatMap(([name, value]) =>
    value === undefined ? [{ name, reason: 'is required with SMTP_URL' }] : [],
  );
  if (missing.length > 0) throw new ConfigError(missing);
  return {
    server: {
      url: String(smtp),
      from: String(from),
      publicUrl: String(publicUrl).replace(/\/+$/, ''),
      isEncrypted: tls !== 'off',
      brandName,
      brandUrl,
    },
  };
}
