// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startMailServer, startNats, type ReceivedMail } from '@chainwatch/testing';

/** What lies outside of the machine for the channels of the pages: receivers, chat services, a NATS and a mail server. */
export interface Outside {
  /** So that the services find it. */
  readonly env: Readonly<Record<string, string>>;
  /** For who types its addresses. */
  readonly instead: Readonly<Record<string, string>>;
  /** Paths to which something was sent. */
  readonly paths: readonly string[];
  readonly mails: readonly ReceivedMail[];
  stop(): Promise<void>;
}

export async function startOutside(): Promise<Outside> {
  const mailServer = await startMailServer();
  const nats = await startNats({ args: ['--user', 'user', '--pass', 'password'] });
  const paths: string[] = [];
  const server = createServer((req, res) => {
    paths.push(req.url!);
    // Slack answers a word, Telegram says that it is well.
    req.resume().on('end', () => res.end(req.url!.startsWith('/services/') ? 'ok' : '{"ok":true}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ['hooks.example.com', 'hooks.slack.com', 'discord.com'];
  return {
    env: {
      SLACK_HOSTS: host,
      DISCORD_HOSTS: host,
      TELEGRAM_API_URL: `http://${host}`,
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      SMTP_TLS: 'off',
      SMTP_FROM: 'alerts@example.com',
      PUBLIC_URL: 'https://watch.example.com',
    },
    instead: {
      ...Object.fromEntries(names.map((name) => [`https://${name}`, `http://${host}`])),
      'nats.example.com:4222': new URL(nats.url).host,
    },
    paths,
    mails: mailServer.mails,
    async stop() {
      server.close();
      server.closeAllConnections();
      await mailServer.stop();
      await nats.stop();
    },
  };
}
