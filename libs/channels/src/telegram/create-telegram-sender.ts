import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { ErrorCode } from '../attempt.ts';
import { postOnce, type Outcome } from '../http/post-once.ts';
import type { Sender } from '../sender.ts';
import { maskBotToken, type TelegramTarget } from './telegram-config.ts';

interface TelegramSenderOptions {
  readonly dispatcher: Dispatcher;
  /** Without a slash at the end. */
  readonly apiUrl: string;
  /** Between two messages of one bot, whatever the chats. */
  readonly botIntervalMs: number;
}

const BOTS_MAX = 10_000;

/** The Bot API (https://core.telegram.org/bots/api#sendmessage), paced for each bot; queues pace each chat. */
export function createTelegramSender({
  dispatcher,
  apiUrl,
  botIntervalMs,
}: TelegramSenderOptions): Sender<TelegramTarget> {
  const nextAtMs = new Map<string, number>();

  async function waitForTurn(botToken: string): Promise<void> {
    const now = Date.now();
    if (nextAtMs.size > BOTS_MAX) for (const [bot, atMs] of nextAtMs) if (atMs < now) nextAtMs.delete(bot);
    const atMs = Math.max(now, nextAtMs.get(botToken) ?? 0);
    nextAtMs.set(botToken, atMs + botIntervalMs);
    if (atMs > now) await delay(atMs - now);
  }

  return {
    async send({ target, body: text, timeoutMs }) {
      const { bot_token: token } = target.credentials;
      await waitForTurn(token);
      const body = JSON.stringify({
        chat_id: target.config.chat_id,
        text,
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
      });
      const headers = { 'content-type': 'application/json' };
      const urlOf = (shown: string): string => `${apiUrl}/bot${shown}/sendMessage`;
      const outcome = readAnswer(await postOnce({ url: urlOf(token), headers, body, dispatcher, timeoutMs }));
      return { request: { method: 'POST', url: urlOf(maskBotToken(token)), headers, body }, ...outcome };
    },
  };
}

interface Answer {
  readonly ok?: boolean;
  readonly description?: string;
  readonly parameters?: { readonly retry_after?: number };
}

function readAnswer(outcome: Outcome): Outcome {
  if (outcome.statusCode === undefined) return outcome;
  const answer = parseAnswer(outcome.responseBody);
  const seconds = answer?.parameters?.retry_after;
  const retryAfterMs = typeof seconds === 'number' && seconds >= 0 ? seconds * 1_000 : outcome.retryAfterMs;
  return { ...outcome, errorCode: classify(outcome.statusCode, answer), retryAfterMs };
}

function classify(status: number, answer: Answer | undefined): ErrorCode | undefined {
  if (status >= 200 && status < 300) return answer?.ok === true ? undefined : 'invalid_response';
  if (status === 429) return 'rate_limited';
  if (status === 403) return 'chat_forbidden';
  if (status === 401) return 'authentication_failed';
  if (status === 400 && /chat not found/i.test(answer?.description ?? '')) return 'chat_not_found';
  return status >= 300 && status < 400 ? 'redirect_refused' : 'http_error';
}

function parseAnswer(body: string | undefined): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(body ?? '');
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
