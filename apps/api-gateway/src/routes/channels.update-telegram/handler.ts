import { z } from 'zod';
import { defineRoute } from '../../server/define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { telegramChannelSchema, toChannelRecord } from '../../records/channel.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { maskBotToken, telegramConfigSchema, telegramInput } from '../../records/telegram-config.ts';
import type { TelegramConfig } from '../../records/telegram-config.ts';
import { sealCredentials } from '../../channels/seal-credentials.ts';
import { storeChannelChanges } from '../../channels/store-channel-changes.ts';
import { withoutUndefined } from '../../channels/without-undefined.ts';

export const updateTelegramChannel = defineRoute({
  method: 'PATCH',
  path: '/notification_channels/telegram/:notification_channel_id',
  permission: 'api:notification_channel:write',
  summary: 'Change a Telegram channel; another bot or chat makes a failed channel active again',
  params: channelParams,
  body: z
    .strictObject({
      name: nameSchema.optional(),
      ...telegramInput,
      bot_token: telegramInput.bot_token.optional(),
      chat_id: telegramInput.chat_id.optional(),
    })
    .refine((body) => Object.keys(body).length > 0, { error: 'expected at least one member' }),
  example: { chat_id: -1001234567890 },
  responses: { 200: telegramChannelSchema },
  handle: async ({ params, body, principal }, deps) => {
    const row = await findChannel(deps, principal, params.notification_channel_id, 'telegram');
    const { name, bot_token: token, ...changes } = body;
    const stored = telegramConfigSchema.parse(row.config);
    const config: TelegramConfig = {
      ...stored,
      ...withoutUndefined(changes),
      bot_token: token === undefined ? stored.bot_token : maskBotToken(token),
    };
    const credentialsSealed =
      token === undefined
        ? row.credentialsSealed
        : sealCredentials(deps.sealer, row.id, { bot_token: token });
    const hasNewTarget = token !== undefined || config.chat_id !== stored.chat_id;
    await deps.db.transaction((sql) =>
      storeChannelChanges(sql, row, { name, config, credentialsSealed, hasNewTarget }),
    );
    return { status: 200, body: toChannelRecord(await findChannel(deps, principal, row.id)) };
  },
});
