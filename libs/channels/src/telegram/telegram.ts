// SPDX-License-Identifier: Apache-2.0
import { url } from '@chainwatch/config';
import { defineChannelKind } from '../define-channel-kind.ts';
import { formatEvents, type Markup } from '../format-events.ts';
import { createTelegramSender } from './create-telegram-sender.ts';
import {
  maskBotToken,
  telegramCredentials,
  telegramInput,
  telegramSecrets,
  telegramStored,
} from './telegram-config.ts';

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
