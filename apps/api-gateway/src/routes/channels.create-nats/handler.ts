import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { checkOutboundUrl } from '../../server/check-outbound-url.ts';
import { defineRoute } from '../../server/define-route.ts';
import { findChannel } from '../../channels/find-channel.ts';
import { insertChannel } from '../../channels/insert-channel.ts';
import { natsChannelSchema, toChannelRecord } from '../../records/channel.ts';
import { defaultEventTypes } from '../../records/event-selection.ts';
import { maskUserInfo, natsInput } from '../../records/nats-config.ts';
import type { NatsConfig } from '../../records/nats-config.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { chooseNatsAuth } from './choose-nats-auth.ts';
import { sealCredentials } from '../../channels/seal-credentials.ts';

export const createNatsChannel = defineRoute({
  method: 'POST',
  path: '/notification_channels/nats',
  permission: 'api:notification_channel:write',
  summary: 'Create a channel that publishes to a NATS server of yours',
  body: z.strictObject({ name: nameSchema, ...natsInput }),
  example: {
    name: 'Payments',
    url: 'nats://user:password@nats.example.com:4222',
    subject: 'payments.chainwatch',
  },
  responses: { 201: natsChannelSchema },
  problems: [422],
  handle: async ({ body, principal }, deps) => {
    const auth = chooseNatsAuth(body.url, body.auth);
    await checkOutboundUrl(body.url, deps.dial, ['nats:', 'tls:']);
    const config: NatsConfig = {
      url: maskUserInfo(body.url),
      subject: body.subject,
      auth: { type: auth.type },
      event_types: body.event_types ?? [...defaultEventTypes.nats],
      filters: body.filters ?? {},
    };
    const id = randomUUID();
    await insertChannel(deps.db, {
      id,
      projectId: principal.projectId,
      kind: 'nats',
      name: body.name,
      config,
      credentialsSealed: sealCredentials(deps.sealer, id, { auth }),
    });
    return { status: 201, body: toChannelRecord(await findChannel(deps, principal, id)) };
  },
});
