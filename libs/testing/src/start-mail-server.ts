// SPDX-License-Identifier: Apache-2.0
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** In lower case, unfolded. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it came. */
  readonly head: string;
  readonly text: string;
  readonly isEncrypted: boolean;
}

export interface MailServerOptions {
  readonly port?: number;
  /** Offers STARTTLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Who must log in. */
  readonly login?: { readonly user: string; readonly password: string };
}

export interface MailServerHandle {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** SMTP codes for recipients whom the server does not take. */
  readonly refused: Map<string, number>;
  /** SMTP code for every mail, after its content was sent. */
  refusedContent: number | undefined;
  stop(): Promise<void>;
}

/** A real SMTP server that keeps what it gets. */
export async function startMailServer({
  port = 0,
  tls,
  login,
}: MailServerOptions = {}): Promise<MailServerHandle> {
  const mails: ReceivedMail[] = [];
  const refused = new Map<string, number>();
  const server = new SMTPServer({
    ...tls,
    hideSTARTTLS: tls === undefined,
    authOptional: login === undefined,
    disabledCommands: login === undefined ? ['AUTH'] : [],
    allowInsecureAuth: false,
    onAuth({ username, password }, _session, done) {
      if (username === login?.user && password === login?.password) done(null, { user: username });
      else done(new Error('Invalid login'));
    },
    onRcptTo({ address }, _session, done) {
      const responseCode = refused.get(address);
      done(responseCode === undefined ? null : Object.assign(new Error('not taken'), { responseCode }));
    },
    onData(stream, { envelope, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const responseCode = handle.refusedContent;
        if (responseCode !== undefined) return done(Object.assign(new Error('not taken'), { responseCode }));
        mails.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          ...parseMail(Buffer.concat(chunks).toString()),
          isEncrypted: secure,
        });
        done();
      });
    },
  });
  // Clients that leave without a word.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const handle: MailServerHandle = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refused,
    refusedContent: undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const connection of server.connections) connection.close();
      }),
  };
  return handle;
}

/** One part, quoted-printable or as it is. */
function parseMail(source: string): Pick<ReceivedMail, 'headers' | 'head' | 'text'> {
  const end = source.indexOf('\r\n\r\n');
  const head = source.slice(0, end);
  const headers = Object.fromEntries(
    head
      .replaceAll(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())] as const;
      }),
  );
  const body = source.slice(end + 4);
  const isQuoted = headers['content-transfer-encoding'] === 'quoted-printable';
  return {
    headers,
    head,
    text: (isQuoted ? unquote(body.replaceAll('=\r\n', '')) : body).replaceAll('\r\n', '\n'),
  };
}

/** RFC 2047, Q. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?utf-8\?q\?([^?]*)\?=/gi, (_word, text: string) => unquote(text.replaceAll('_', ' ')));
}

function unquote(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/g, (_byte, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
