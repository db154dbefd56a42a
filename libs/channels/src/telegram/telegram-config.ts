// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { ChannelTarget } from '../sender.ts';

/** Members of a request that hold a secret. */
export const telegramSecrets = {
  bot_token: z
    .string()
    .regex(/^[0-9]{7,12}:[A-Za-z0-9_-]{35}$/, 'expected a bot token as BotFather gives it')
    .meta({
      description: 'The token of your bot, as BotFather gives it; write-only.',
      examples: ['110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx'],
    }),
};

/** The others. */
export const telegramInput = {
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
export const telegramStored = {
  bot_token: z
    .string()
    .meta({ description: 'The public id of the bot, its secret masked.', examples: ['110201543:***'] }),
  chat_id: z.int().meta({ description: 'The chat it writes to.', examples: [42_000_000], format: 'int64' }),
};

export const telegramCredentials = z.object({ bot_token: z.string() });
export type TelegramTarget = ChannelTarget<
  z.output<z.ZodObject<typeof telegramStored>>,
  z.output<typeof telegramCredentials>
>;

export function maskBotToken(token: string): string {
  return `${token.slice(0, token.indexOf(':'))}:***`;
}
