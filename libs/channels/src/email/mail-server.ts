// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createTransport } from 'nodemailer';
import type { ErrorCode } from '../attempt.ts';
import type { Installation } from '../messages/mail-texts.ts';

/** The installation's own mail server: its operator names it, so it is dialled as it is. */
export interface MailServer extends Installation {
  /** smtp: or smtps:, with user and password. */
  readonly url: string;
  readonly from: string;
  /** False: smtp: without TLS. */
  readonly isEncrypted: boolean;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for the same content: a repeated mail is one mail. */
  readonly id: string;
  /** Mails to one recipient with the same one are a conversation. */
  readonly thread?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `undefined`: the server took it. */
type MailError = 'deferred' | 'refused' | 'internal_error' | undefined;

export interface Mailer {
  /** Never rejects. */
  send(mail: Mail, timeoutMs: number): Promise<{ readonly error: MailError; readonly answer: string }>;
  close(): void;
}

const CONNECTIONS = 8;
const REMEMBERED = 10_000;

export function createMailer({ url, from, isEncrypted }: MailServer): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const transport = createTransport({
    pool: true,
    maxConnections: CONNECTIONS,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && isEncrypted,
    ignoreTLS: !isEncrypted,
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    maxRecipients: 1,
  });
  // A connection may fail while no mail waits for it.
  transport.on('error', () => undefined);
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
  // What the server took is not sent again because another recipient of the same message failed.
  const taken = new LRUCache<string, true>({ max: REMEMBERED });
  return {
    async send({ to, subject, text, id, thread, headers }, timeoutMs) {
      const name = digest(`${to} ${id}`);
      if (taken.has(name)) return { error: undefined, answer: 'taken before' };
      try {
        const { response } = await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject: subject.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200),
          text,
          messageId: `<${name}@${domain}>`,
          // No mail has the id of a conversation: its first mail may never be sent to this recipient.
          ...(thread !== undefined && continueThread(`<${digest(`${to} thread ${thread}`)}@${domain}>`)),
          // RFC 3834: nobody is away from it.
          headers: { 'Auto-Submitted': 'auto-generated', ...headers },
          textEncoding: 'quoted-printable',
          signal: AbortSignal.timeout(timeoutMs),
        });
        taken.set(name, true);
        return { error: undefined, answer: response };
      } catch (error) {
        return readFailure(error);
      }
    },
    close: () => transport.close(),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** RFC 5322 §3.6.4. */
function continueThread(id: string): { inReplyTo: string; references: string } {
  return { inReplyTo: id, references: id };
}

/** An answer about the mail is the receiver's; anything else is a fault of the installation. */
function readFailure(error: unknown): { error: MailError; answer: string } {
  const { code, responseCode, response } = error as {
    readonly code?: ErrorCode;
    readonly responseCode?: number;
    readonly response?: string;
  };
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (!isAboutMail || responseCode === undefined)
    return { error: 'internal_error', answer: `the mail server could not be used: ${code ?? 'unknown'}` };
  return { error: responseCode >= 500 ? 'refused' : 'deferred', answer: (response ?? '').slice(0, 500) };
}
