// SPDX-License-Identifier: Apache-2.0
import { Router, type RequestHandler, type Response } from 'express';
import { CHANNEL_KINDS, findChannelKind, type ChannelKind } from '@chainwatch/channels';
import type { Sql } from '@chainwatch/data/db';
import { html, type Html } from './html.ts';
import type { ApiDeps } from '../api-deps.ts';
import { lockChannel } from './lock-channel.ts';
import { openCredentials } from './seal-credentials.ts';
import { storeChannelChanges } from './store-channel-changes.ts';

const TEXTS = {
  confirm: {
    question: 'Do you want these mails?',
    button: 'Yes, send them to me',
    done: 'You will get the mails from now on. Each has a link that stops them.',
  },
  stop: {
    question: 'Do you want no more of these mails?',
    button: 'Stop them',
    done: 'You will get none of these mails any more.',
  },
} as const;

/**
 * The pages behind links in mails, for people without a key. Looking at one changes nothing, because programs follow
 * links in mails too; its button does. Every link that is good for nothing gets the same answer.
 */
export function serveConsent(deps: Pick<ApiDeps, 'db' | 'sealer'>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const handle =
    (isAnswer: boolean): RequestHandler<{ token: string }> =>
    async ({ params: { token } }, res) => {
      const purpose = await deps.db.transaction((sql) => follow(sql, { token, isAnswer }, deps));
      if (purpose === undefined) return sendPage(res, 404, html`<p>This link is not valid any more.</p>`);
      const { question, button, done } = TEXTS[purpose];
      const form = html`<p>${question}</p><form method="post"><button>${button}</button></form>`;
      sendPage(res, 200, isAnswer ? html`<p>${done}</p>` : form);
    };
  router.get('/mail/:token', handle(false));
  router.post('/mail/:token', handle(true));
  return router;
}

/** What the link is for; an answer is stored. */
async function follow(
  sql: Sql,
  { token, isAnswer }: { readonly token: string; readonly isAnswer: boolean },
  { sealer }: Pick<ApiDeps, 'sealer'>,
): Promise<keyof typeof TEXTS | undefined> {
  const found = await findLinked(sql, token);
  if (found === undefined) return undefined;
  const { kind, id } = found;
  const row = await lockChannel(sql, { id });
  const credentials = openCredentials(sealer, id, row.credentialsSealed);
  const followed = kind.consent!.follow(token, { id, config: row.config, credentials }, new Date());
  if (followed === undefined) return undefined;
  const { purpose, config } = followed;
  if (isAnswer)
    await storeChannelChanges(sql, row, {
      config,
      credentialsSealed: row.credentialsSealed,
      hasNewTarget: purpose === 'confirm',
      obstacle: kind.obstacleOf(config),
    });
  return purpose;
}

async function findLinked(
  sql: Sql,
  token: string,
): Promise<{ readonly id: string; readonly kind: ChannelKind } | undefined> {
  const ids = CHANNEL_KINDS.flatMap(({ consent }) => consent?.channelOf(token) ?? []);
  const { rows } = await sql.query<{ id: string; kind: string }>(
    'SELECT id, kind FROM notification_channels WHERE id = ANY($1::uuid[])',
    [ids],
  );
  const [row] = rows;
  const kind = row && findChannelKind(row.kind);
  return row && kind?.consent ? { ...row, kind } : undefined;
}

function sendPage(res: Response, status: number, content: Html): void {
  res.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  // The address of the page is a credential.
  res.setHeader('Referrer-Policy', 'no-referrer');
  res
    .status(status)
    .type('text/html')
    .send(
      html`<!doctype html><html lang="en"><meta charset="utf-8"><title>Notifications</title>${content}</html>`
        .text,
    );
}
