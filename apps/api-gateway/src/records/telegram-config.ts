import { z } from 'zod';
import { selectionInput, selectionSchema } from './event-selection.ts';

export const telegramInput = {
  bot_token: z.string().regex(/^[0-9]{7,12}:[A-Za-z0-9_-]{35}$/, 'expected a bot token as BotFather gives it'),
  // Telegram's ids have at most 52 bits, so that a JSON number holds them.
  chat_id: z.int().refine((id) => id !== 0, 'expected a chat id: positive for a person, negative for a group or channel'),
  ...selectionInput,
};

/** What is stored and shown: of the token only the bot's own public id. */
export const telegramConfigSchema = z.object({ bot_token: z.string(), chat_id: z.int(), ...selectionSchema });
export type TelegramConfig = z.infer<typeof telegramConfigSchema>;

export function maskBotToken(token: string): string {
  return `${token.slice(0, token.indexOf(':'))}:***`;
}
