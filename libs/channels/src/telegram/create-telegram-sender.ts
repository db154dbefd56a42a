import type { Dispatcher } from 'undici';
import type { ErrorCode } from '../attempt.ts';
import { postOnce, type Outcome } from '../http/post-once.ts';
import type { Sender } from '../sender.ts';
import { maskBotToken, type TelegramTarget } from './telegram-config.ts';

interface TelegramSenderOptions {
  readonly dispatcher: Dispatcher;
  /** Without a slash at the end. */
  readonly apiUrl: string;
}

/** The Bot API (https://core.telegram.org/bots/api#sendmessage). */
export function createTelegramSender({ dispatcher, apiUrl }: TelegramSenderOptions): Sender<TelegramTarget> {
  return {
    async send({ target, body: text, timeoutMs }) {
      const { bot_token: token } = target.credentials;
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
