// SPDX-License-Identifier: Apache-2.0
import type { Markup } from '../format-events.ts';
import { defineServiceKind } from '../http/define-service-kind.ts';
import type { ErrorCode } from '../attempt.ts';
import { classifyStatus, type Outcome } from '../http/post-once.ts';
import { postToService, type ServiceTarget } from '../http/service-webhook.ts';
import type { SenderContext, SendRequest, SentMessage } from '../sender.ts';

/** Unknown Webhook, Invalid Webhook Token (https://discord.com/developers/docs/topics/opcodes-and-status-codes). */
const GONE: readonly unknown[] = [10_015, 50_027];
/**
 * Missing access, missing permissions, an archived thread, a locked thread, and a forum, where a webhook must name a
 * thread: the channel refuses every message until somebody changes it.
 */
const FORBIDDEN: readonly unknown[] = [50_001, 50_013, 50_083, 160_005, 220_001];

/** One message (https://discord.com/developers/docs/resources/webhook#execute-webhook). */
async function sendToDiscord(
  request: SendRequest<ServiceTarget>,
  context: Pick<SenderContext, 'http' | 'userAgent'>,
): Promise<SentMessage> {
  const json = { embeds: [{ description: request.body }], allowed_mentions: { parse: [] } };
  // Without it the answer comes before Discord has looked at the message.
  const sent = await postToService(request, { json, query: '?wait=true' }, context);
  return { request: sent.request, ...readAnswer(sent.outcome) };
}

/** https://discord.com/developers/docs/topics/rate-limits */
function readAnswer(outcome: Outcome): Outcome {
  const { statusCode, responseHeaders: headers = {} } = outcome;
  if (statusCode === undefined) return outcome;
  const answer = parseAnswer(outcome.responseBody);
  const resetMs = readSeconds(headers['x-ratelimit-reset-after']);
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  return {
    ...outcome,
    errorCode: classify(statusCode, answer),
    retryAfterMs: readSeconds(answer?.retry_after) ?? outcome.retryAfterMs ?? resetMs,
    ...(isUsedUp && resetMs !== undefined && { pauseMs: resetMs }),
  };
}

interface Answer {
  readonly code?: unknown;
  readonly retry_after?: unknown;
}

function classify(status: number, answer: Answer | undefined): ErrorCode | undefined {
  if (status === 429) return 'rate_limited';
  // 401: the token in the URL is not the webhook's.
  if ([401, 404, 410].includes(status) || GONE.includes(answer?.code)) return 'webhook_gone';
  if (FORBIDDEN.includes(answer?.code)) return 'webhook_forbidden';
  return classifyStatus(status);
}

/** Seconds with a fraction, as milliseconds. */
function readSeconds(value: unknown): number | undefined {
  const seconds =
    typeof value === 'number' || typeof value === 'string' ? Number(value || Number.NaN) : Number.NaN;
  return seconds >= 0 && Number.isFinite(seconds) ? Math.ceil(seconds * 1_000) : undefined;
}

function parseAnswer(body: string | undefined): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(body ?? '');
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** https://support.discord.com/hc/articles/210298617: any punctuation of Markdown may be escaped. */
const markdown: Markup = {
  bold: (text) => `**${text}**`,
  // Code has no way to write its own mark.
  code: (text) => `\`${text.replaceAll('`', "'")}\``,
  escape: (text) => text.replaceAll(/[\\*_~`|<>[\]()#:@+.-]/g, '\\$&'),
  link: ({ text, url }) => `[${text}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`,
  separator: ' · ',
};

/** A webhook of a channel in Discord. */
export const discord = defineServiceKind({
  kind: 'discord',
  service: 'Discord',
  webhook: 'a webhook',
  hosts: ['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com'],
  path: /^\/api(\/v\d+)?\/webhooks\/\d{5,25}\/[\w-]{8,}$/,
  example: 'https://discord.com/api/webhooks/223704706495545344/XXXXXXXXXXXXXXXXXXXXXXXX',
  hides: /(?<=\/webhooks\/\d+\/)[\w-]+/g,
  // Five requests in two seconds for each webhook; its answers say when that is used up.
  intervalMs: 400,
  markup: markdown,
  // Of an embed's description (https://discord.com/developers/docs/resources/message#embed-object-embed-limits).
  lengthMax: 4_096,
  send: sendToDiscord,
});
