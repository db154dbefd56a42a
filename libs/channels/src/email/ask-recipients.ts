// SPDX-License-Identifier: Apache-2.0
import { badGateway, unprocessableEntity } from '@chainwatch/problem';
import type { AskContext } from '../channel-kind.ts';
import { writeConsentMail } from '../messages/mail-texts.ts';
import type { EmailConfig } from './email-config.ts';
import { makeLink, type LinkedChannel } from './mail-links.ts';
import { createMailer, type MailServer } from './mail-server.ts';

const TIMEOUT_MS = 10_000;

/**
 * Sends a link to each recipient whom a create or update named. Nothing of the customer's is in the mail, because its
 * reader has not agreed to anything. @throws ProblemError 502 when the mail server does not take one
 */
export async function askRecipients(
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
