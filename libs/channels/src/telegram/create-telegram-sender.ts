// SPDX-License-Identifier: Apache-2.0
import type { HttpClient } from '@chainwatch/outbound';
import { postOnce, type Outcome } from '../http/post-once.ts';
import type { Sender, SentMessage } from '../sender.ts';
import { classifyAnswer, parseAnswer, type BotAnswer } from './classify-answer.ts';
import { maskBotToken, type TelegramTarget } from './telegram-config.ts';

interface TelegramSenderOptions {
  readonly http: HttpClient;
  /** Without a slash at the end. */
  readonly apiUrl: string;
}

interface Message {
  readonly token: string;
  readonly chatId: number;
  readonly text: string;
  readonly timeoutMs: number;
  readonly answerMs: number | undefined;
}

/** The Bot API (https://core.telegram.org/bots/api#sendmessage). */
export function createTelegramSender({ http, apiUrl }: TelegramSenderOptions): Sender<TelegramTarget> {
  return {
    async send({ target, body: text, timeoutMs, answerMs }) {
      const { bot_token: token } = target.credentials;
      const { chat_id: chatId } = target.config;
      const { sent, answer } = await post({ token, chatId, text, timeoutMs, answerMs });
      const newId = findNewId(answer, chatId);
      if (newId === undefined) return sent;
      const leftMs = Math.max(1, timeoutMs - sent.durationMs);
      const again = await post({ token, chatId: newId, text, timeoutMs: leftMs, answerMs });
      return {
        ...again.sent,
        startedAt: sent.startedAt,
        durationMs: sent.durationMs + again.sent.durationMs,
        move: { from: { chat_id: chatId }, to: { chat_id: newId } },
      };
    },
  };

  async function post({ token, chatId, text, timeoutMs, answerMs }: Message): Promise<{
    readonly sent: SentMessage;
    readonly answer: BotAnswer | undefined;
  }> {
    const body = JSON.stringify({
      chat_id: chatId,
      text,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    });
    const headers = { 'content-type': 'application/json' };
    const urlOf = (shown: string): string => `${apiUrl}/bot${shown}/sendMessage`;
    const outcome = await postOnce({ url: urlOf(token), headers, body, http, timeoutMs, answerMs });
    const answer = parseAnswer(outcome.responseBody);
    const request = { method: 'POST', url: urlOf(maskBotToken(token)), headers, body } as const;
    return { sent: { request, ...readAnswer(outcome, answer) }, answer };
  }
}

/** A group that became a supergroup (https://core.telegram.org/bots/api#responseparameters). */
function findNewId(answer: BotAnswer | undefined, chatId: number): number | undefined {
  const newId = answer?.ok === true ? undefined : answer?.parameters?.migrate_to_chat_id;
  return Number.isSafeInteger(newId) && newId !== 0 && newId !== chatId ? (newId as number) : undefined;
}

function readAnswer(outcome: Outcome, answer: BotAnswer | undefined): Outcome {
  if (outcome.statusCode === undefined) return outcome;
  const seconds = answer?.parameters?.retry_after;
  const retryAfterMs = typeof seconds === 'number' && seconds >= 0 ? seconds * 1_000 : outcome.retryAfterMs;
  return { ...outcome, errorCode: classifyAnswer(outcome.statusCode, answer), retryAfterMs };
}
