import { z } from 'zod';
import { checkOutboundUrl } from '../../server/check-outbound-url.ts';
import { defineRoute } from '../../server/define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { natsChannelSchema, toChannelRecord } from '../../records/channel.ts';
import { hasUserInfo, maskUserInfo, natsConfigSchema, natsInput } from '../../records/nats-config.ts';
import type { NatsAuth, NatsConfig } from '../../records/nats-config.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { sealCredentials } from '../../channels/seal-credentials.ts';
import { storeChannelChanges } from '../../channels/store-channel-changes.ts';
import { withoutUndefined } from '../../channels/without-undefined.ts';
import { chooseNatsAuth } from '../channels.create-nats/choose-nats-auth.ts';

export const updateNatsChannel = defineRoute({
  method: 'PATCH',
  path: '/notification_channels/nats/:notification_channel_id',
  permission: 'api:notification_channel:write',
  summary: 'Change a NATS channel; a new URL or subject makes a failed channel active again',
  params: channelParams,
  body: z
    .strictObject({
      name: nameSchema.optional(),
      ...natsInput,
      url: natsInput.url.optional(),
      subject: natsInput.subject.optional(),
    })
    .refine((body) => Object.keys(body).length > 0, { error: 'expected at least one member' }),
  example: { subject: 'payments.chainwatch' },
  responses: { 200: natsChannelSchema },
  problems: [422],
  handle: async ({ params, body, principal }, deps) => {
    const given = chooseAuth(body);
    if (body.url !== undefined) await checkOutboundUrl(body.url, deps.dial, ['nats:', 'tls:']);
    const row = await findChannel(deps, principal, params.notification_channel_id, 'nats');
    const { name, url, auth: _auth, ...changes } = body;
    const stored = natsConfigSchema.parse(row.config);
    // Credentials that came with the old URL do not follow to a new one.
    const auth =
      given ?? (url !== undefined && hasUserInfo(stored.url) ? ({ type: 'none' } as const) : undefined);
    const shownUrl =
      url !== undefined ? maskUserInfo(url) : given === undefined ? stored.url : withoutUserInfo(stored.url);
    const config: NatsConfig = {
      ...stored,
      ...withoutUndefined(changes),
      url: shownUrl,
      auth: { type: auth?.type ?? stored.auth.type },
    };
    const credentialsSealed =
      auth === undefined ? row.credentialsSealed : sealCredentials(deps.sealer, row.id, { auth });
    const hasNewTarget = config.subject !== stored.subject || url !== undefined || given !== undefined;
    await deps.db.transaction((sql) =>
      storeChannelChanges(sql, row, { name, config, credentialsSealed, hasNewTarget }),
    );
    return { status: 200, body: toChannelRecord(await findChannel(deps, principal, row.id)) };
  },
});

/** What the request says about credentials; undefined when it says nothing. */
function chooseAuth({ url, auth }: { url?: string; auth?: NatsAuth }): NatsAuth | undefined {
  return url !== undefined && hasUserInfo(url) ? chooseNatsAuth(url, auth) : auth;
}

function withoutUserInfo(url: string): string {
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}
