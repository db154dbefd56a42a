// SPDX-License-Identifier: Apache-2.0
import type { ErrorCode } from '../attempt.ts';
import type { SendRequest, SentMessage } from '../sender.ts';
import { writeMailFooter } from '../messages/mail-texts.ts';
import { threadOf } from '../messages/write-message.ts';
import type { EmailTarget } from './email-config.ts';
import { makeLink } from './mail-links.ts';
import type { Mailer, MailServer } from './mail-server.ts';

/** How long to wait for a mail server that cannot be used. */
const UNUSABLE_MS = 30_000;

interface Sending {
  readonly mailer: Mailer | undefined;
  readonly server: MailServer | undefined;
}

/** A mail of its own for each recipient who confirmed, with a link that stops them. */
export async function sendMails(
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
