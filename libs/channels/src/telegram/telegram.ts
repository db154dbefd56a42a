// SPDX-License-Identifier: Apache-2.0
import { url } from '@chainwatch/platform/config';
import { defineChannelKind } from '../define-channel-kind.ts';
import { formatEvents, type Markup } from '../format-events.ts';
import type { HttpClient } from '@chainwatch/outbound';
import { postOnce, type Outcome } from '../http/post-once.ts';
import type { Sender, SentMessage, ChannelTarget } from '../sender.ts';
import type { ErrorCode } from '../attempt.ts';
import { z } from 'zod';

/** Members of a request that hold a secret. */
const telegramSecrets = {
  bot_token: z
    .string()
    .regex(/^[0-9]{7,12}:[A-Za-z0-9_-]{35}$/, 'expected a bot token as BotFather gives it')
    .meta({
      description: 'The token of your bot, as BotFather gives it; write-only.',
      examples: ['110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx'],
    }),
};

/** The others. */
const telegramInput = {
  // Telegram's ids have at most 52 bits, so that a JSON number holds them.
  chat_id: z
    .int()
    .refine((id) => id !== 0, 'expected a chat id: positive for a person, negative for a group or channel')
    .meta({
      description:
        'The chat: positive for a person, negative for a group, beginning with -100 for a channel.',
      examples: [42_000_000],
    }),
};

/** What is stored and shown: of the token only the bot's own public id. */
const telegramStored = {
  bot_token: z
    .string()
    .meta({ description: 'The public id of the bot, its secret masked.', examples: ['110201543:***'] }),
  chat_id: z.int().meta({ description: 'The chat it writes to.', examples: [42_000_000], format: 'int64' }),
};

const telegramCredentials = z.object({ bot_token: z.string() });
type TelegramTarget = ChannelTarget<
  z.output<z.ZodObject<typeof telegramStored>>,
  z.output<typeof telegramCredentials>
>;

function maskBotToken(token: string): string {
  return `${token.slice(0, token.indexOf(':'))}:***`;
}

/**
 * Limits of the Bot API (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this).
 */
const OPTIONS = {
  apiUrl: 'https://api.telegram.org',
  // Time between two messages: to one private chat, to one group or channel, from one bot.
  chatIntervalMs: 1_000,
  groupIntervalMs: 3_000,
  botIntervalMs: 34,
  digestFrom: 5,
  digestMax: 50,
};

/**
 * Telegram's limit for a message (https://core.telegram.org/bots/api#sendmessage). It counts after entities
 * are parsed, we count before.
 */
const LENGTH_MAX = 4_096;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
/** A subset of HTML. */
const html: Markup = {
  bold: (text) => `<b>${text}</b>`,
  code: (text) => `<code>${escape(text)}</code>`,
  escape,
  link: ({ text, url }) => `<a href="${escape(url).replaceAll('"', '&quot;')}">${escape(text)}</a>`,
  separator: ' · ',
};

/** A chat, through a bot of the customer. */
export const telegram = defineChannelKind({
  kind: 'telegram',
  docs: {
    title: 'Telegram',
    description: 'A Telegram chat.',
    create: 'Create a channel that posts to a Telegram chat through your own bot',
    update: 'Change a Telegram channel; another bot or chat makes a failed channel active again',
    createExample: {
      name: 'Payments',
      bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx',
      chat_id: 42_000_000,
    },
    updateExample: { chat_id: -1001234567890 },
  },
  input: telegramInput,
  secrets: telegramSecrets,
  stored: telegramStored,
  defaults: { events: 'movements', config: {} },
  credentials: telegramCredentials,
  seal: (given) => given,
  mask: ({ bot_token: token }) => ({ bot_token: maskBotToken(token) }),
  isNewTarget: ({ bot_token: token, chat_id: chat }, before) =>
    token !== undefined || (chat !== undefined && chat !== before.chat_id),
  fatal: {
    chat_not_found: 'Telegram does not know the chat',
    chat_forbidden: 'the bot may not write to the chat',
    chat_deactivated: 'the person or the group of the chat is deactivated, or the group was deleted',
    topic_closed: 'the topic of the chat is closed, or was deleted',
  },
  // In api.telegram.org/bot<id>:<token>/… the path is a credential by design.
  hides: [/(?<=\/bot)\d+:[\w-]+/g],
  environment: {
    variables: {
      /**
       * Set it to use a Bot API server of your own. It is dialled like a customer's URL, so a private address
       * needs OUTBOUND_ALLOW.
       */
      TELEGRAM_API_URL: url('http', 'https').default(OPTIONS.apiUrl),
    },
    read: ({ TELEGRAM_API_URL: apiUrl }) => ({ apiUrl: String(apiUrl).replace(/\/+$/, '') }),
  },
  options: OPTIONS,
  // One after the other: Telegram shows messages in the order in which they come.
  limits: ({ config }, { chatIntervalMs, groupIntervalMs, botIntervalMs, digestFrom, digestMax }) => ({
    concurrency: 1,
    intervalMs: config.chat_id > 0 ? chatIntervalMs : groupIntervalMs,
    sharedIntervalMs: botIntervalMs,
    digest: { from: digestFrom, max: digestMax },
  }),
  // A bot has one limit over all its chats.
  pauseGroup: ({ credentials }) => credentials.bot_token,
  render: (payloads, names) => formatEvents(payloads, names, { markup: html, lengthMax: LENGTH_MAX }),
  createSender: ({ http }, options) => createTelegramSender({ ...options, http }),
});

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
function createTelegramSender({ http, apiUrl }: TelegramSenderOptions): Sender<TelegramTarget> {
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

/** What the Bot API answers (https://core.telegram.org/bots/api#making-requests), not checked. */
interface BotAnswer {
  readonly ok?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: unknown; readonly migrate_to_chat_id?: unknown } | null;
}

/**
 * Refusals that no other attempt mends, by their description. Telegram publishes no list and sends most of them with 400:
 * these are the texts of its Bot API server (https://github.com/tdlib/telegram-bot-api, Client::fail_query_with_error) and the
 * errors of its own protocol that the server passes on in capitals.
 */
const REFUSALS: readonly (readonly [text: RegExp, code: ErrorCode])[] = [
  [/deactivated|group chat was deleted|supergroup chat was deleted|chat was deleted/i, 'chat_deactivated'],
  [/TOPIC_(CLOSED|DELETED)|topic (is )?(closed|deleted)|message thread not found/i, 'topic_closed'],
  [/(chat|user|group|channel) not found|(PEER|CHAT|CHANNEL|USER)_ID_INVALID/i, 'chat_not_found'],
  [/not enough rights|have no rights|need administrator rights|CHAT_ADMIN_REQUIRED/i, 'chat_forbidden'],
  [
    /CHAT_(WRITE|SEND_\w+)_FORBIDDEN|CHAT_RESTRICTED|CHANNEL_PRIVATE|USER_(BANNED|IS_BLOCKED)\w*/i,
    'chat_forbidden',
  ],
  [/bot (was|is) (blocked|kicked|banned)|bot is not a member|bot can't/i, 'chat_forbidden'],
];

function classifyAnswer(status: number, answer: BotAnswer | undefined): ErrorCode | undefined {
  if (status >= 200 && status < 300) return answer?.ok === true ? undefined : 'invalid_response';
  if (status === 429) return 'rate_limited';
  // A token whose form it does not know is a path that it does not know.
  if (status === 401 || (status === 404 && answer?.ok === false)) return 'authentication_failed';
  if (status === 400 || status === 403) {
    const description = String(answer?.description ?? '');
    const refusal = REFUSALS.find(([text]) => text.test(description));
    if (refusal !== undefined) return refusal[1];
    if (status === 403) return 'chat_forbidden';
  }
  return status >= 300 && status < 400 ? 'redirect_refused' : 'http_error';
}

function parseAnswer(body: string | undefined): BotAnswer | undefined {
  try {
    const answer: unknown = JSON.parse(body ?? '');
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
