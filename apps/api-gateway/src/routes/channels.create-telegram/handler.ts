import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineRoute } from '../../server/define-route.ts';
import { findChannel } from '../../channels/find-channel.ts';
import { insertChannel } from '../../channels/insert-channel.ts';
import { telegramChannelSchema, toChannelRecord } from '../../records/channel.ts';
import { defaultEventTypes } from '../../records/event-selection.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { maskBotToken, telegramInput } from '../../records/telegram-config.ts';
import type { TelegramConfig } from '../../records/telegram-config.ts';
import { sealCredentials } from '../../channels/seal-credentials.ts';

export const createTelegramChannel = defineRoute({
  method: 'POST',
  path: '/notification_channels/telegram',
  permission: 'api:notification_channel:write',
  summary: 'Create a channel that writes to a Telegram chat through a bot of yours',
  body: z.strictObject({ name: nameSchema, ...telegramInput }),
  example: {
    name: 'Payments',
    bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx',
    chat_id: 42_000_000,
  },
  responses: { 201: telegramChannelSchema },
  handle: async ({ body, principal }, deps) => {
    const config: TelegramConfig = {
      bot_token: maskBotToken(body.bot_token),
      chat_id: body.chat_id,
      event_types: body.event_types ?? [...defaultEventTypes.telegram],
      filters: body.filters ?? {},
    };
    const id = randomUUID();
    const credentialsSealed = sealCredentials(deps.sealer, id, { bot_token: body.bot_token });
    await insertChannel(deps.db, {
      id,
      projectId: principal.projectId,
      kind: 'telegram',
      name: body.name,
      config,
      credentialsSealed,
    });
    return { status: 201, body: toChannelRecord(await findChannel(deps, principal, id)) };
  },
});
