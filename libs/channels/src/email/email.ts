// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { ConfigError, url } from '@chainwatch/platform/config';
import { unprocessableEntity, badGateway } from '@chainwatch/common/problem';
import { defineChannelKind } from '../define-channel-kind.ts';
import { formatEvents, subjectOfEvents, type Markup } from '../format-events.ts';
import {
  emailCredentials,
  emailSecrets,
  emailStored,
  findObstacle,
  makeLinkKey,
  nameRecipients,
  type EmailConfig,
  type EmailTarget,
} from './email-config.ts';
import { channelOfToken, followLink, makeLink, type LinkedChannel } from './mail-links.ts';
import { createMailer, type MailServer, type Mailer } from './mail-server.ts';
import type { AskContext } from '../channel-kind.ts';
import { writeConsentMail, writeMailFooter } from '../messages/mail-texts.ts';
import type { ErrorCode } from '../attempt.ts';
import type { SendRequest, SentMessage } from '../sender.ts';
import { threadOf } from '../messages/write-message.ts';

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

const TIMEOUT_MS = 10_000;

/**
 * Sends a link to each recipient whom a create or update named. Nothing of the customer's is in the mail, because its
 * reader has not agreed to anything. @throws ProblemError 502 when the mail server does not take one
 */
async function askRecipients(
  channel: LinkedChannel & { readonly before: EmailConfig | undefined },
  { mayAsk }: AskContext,
  { server }: { readonly server: MailServer | undefined },
): Promise<void> {
  const asked = new Set(channel.before?.recipients.map((one) => one.requested_at));
  const pending = channel.config.recipients.filter(
    (one) => one.status === 'pending' && !asked.has(one.requested_at),
  );
  if (pending.length === 0) return;
  if (server === undefined) throw unprocessableEntity('This installation sends no e-mail.');
  const mailer = createMailer(server);
  try {
    await Promise.all(
      pending.map(async (recipient) => {
        // The answer does not reveal whether a mail was sent: others may have asked the same address.
        if (!(await mayAsk(recipient.address.toLowerCase()))) return;
        const link = makeLink(server.publicUrl, channel, {
          recipient,
          purpose: 'confirm',
          nowMs: Date.now(),
        });
        const sent = await mailer.send(
          { to: recipient.address, ...writeConsentMail(server, link), id: link },
          TIMEOUT_MS,
        );
        // Nor whether the address exists.
        if (sent.error === 'internal_error')
          throw badGateway('The mail server could not be used, so nobody was asked. Try again later.');
      }),
    );
  } finally {
    mailer.close();
  }
}

/** How long to wait for a mail server that cannot be used. */
const UNUSABLE_MS = 30_000;

interface Sending {
  readonly mailer: Mailer | undefined;
  readonly server: MailServer | undefined;
}

/** A mail of its own for each recipient who confirmed, with a link that stops them. */
async function sendMails(
  { target, channelId, event, others = [], body, timeoutMs }: SendRequest<EmailTarget>,
  { mailer, server }: Sending,
): Promise<SentMessage> {
  const startedAt = new Date();
  const started = performance.now();
  const recipients = target.config.recipients.filter(({ status }) => status === 'confirmed');
  const { subject, text } = splitBody(body);
  const events = [event, ...others];
  const [thread, ...threads] = new Set(events.map(({ payload }) => threadOf(payload)));
  const results = await Promise.all(
    recipients.map(async (recipient) => {
      if (mailer === undefined || server === undefined)
        return { error: 'internal_error', answer: 'this installation has no mail server' } as const;
      const channel = { ...target, id: channelId };
      const link = makeLink(server.publicUrl, channel, { recipient, purpose: 'stop', nowMs: Date.now() });
      return mailer.send(
        {
          to: recipient.address,
          subject,
          text: `${text}${writeMailFooter(server, link)}`,
          // Names in the text may change between attempts.
          id: events.map(({ eventId }) => eventId).join(' '),
          thread: threads.length === 0 ? thread : undefined,
          // RFC 8058.
          headers: { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
        },
        timeoutMs,
      );
    }),
  );
  const errorCode = decide(results.map(({ error }) => error));
  return {
    startedAt,
    durationMs: Math.round(performance.now() - started),
    statusCode: undefined,
    errorCode,
    request: {
      method: 'MAIL',
      url: `mailto:${recipients.map(({ address }) => address).join(',')}`,
      headers: { from: server?.from ?? '', subject },
      body: text,
    },
    responseHeaders: undefined,
    responseBody: recipients.map(({ address }, index) => `${address}: ${results[index]!.answer}`).join('\n'),
    retryAfterMs: errorCode === 'internal_error' ? UNUSABLE_MS : undefined,
  };
}

/** A body as the kind renders it: the subject, an empty line, the text. */
function splitBody(body: string): { readonly subject: string; readonly text: string } {
  const end = body.indexOf('\n\n');
  return { subject: body.slice(0, end), text: body.slice(end + 2) };
}

/** Who is refused for good does not keep the others from their mails. */
function decide(errors: readonly (ErrorCode | undefined)[]): ErrorCode | undefined {
  if (errors.length === 0) return 'not_confirmed';
  if (errors.includes('internal_error')) return 'internal_error';
  if (errors.includes('deferred')) return 'deferred';
  return errors.includes(undefined) ? undefined : 'recipients_refused';
}
