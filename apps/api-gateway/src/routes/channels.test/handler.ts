// SPDX-License-Identifier: Apache-2.0
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { eventTypeSchema } from '@chainwatch/channels';
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { deliverySchema, toDeliveryRecord } from '../../records/delivery.ts';
import { buildTestEvent } from './build-test-event.ts';

export const testChannel = defineRoute({
  method: 'POST',
  path: '/notification_channels/:notification_channel_id/actions/test',
  permission: 'api:notification_channel:write',
  isForPortals: true,
  summary:
    'Send a test message through the channel, whatever its status; a success makes a failed channel active again',
  params: channelParams,
  body: z
    .strictObject({
      event_type: eventTypeSchema
        .default('transaction.detected')
        .meta({ description: 'Which event to make up.' }),
    })
    .optional(),
  example: { event_type: 'transaction.confirmed' },
  responses: { 202: deliverySchema },
  handle: async ({ params, body, principal }, { db, prisma, ...deps }) => {
    const channel = await findChannel({ prisma, ...deps }, { principal, id: params.notification_channel_id });
    const event = buildTestEvent(principal.projectId, body?.event_type ?? 'transaction.detected');
    const id = uuidv7();
    await db.transaction(async (sql) => {
      // For this one channel only: the event is not published, and dispatched to no other channel.
      await sql.query(
        `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload, created_at) VALUES ($1, $2, $3, $4, 'test', $5, $6)`,
        [
          event.event_id,
          principal.projectId,
          event.type,
          event.sequence,
          JSON.stringify(event),
          event.created_at,
        ],
      );
      await sql.query(
        `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, is_test) VALUES ($1, $2, $3, $4, $5, 'pending', true)`,
        [id, principal.projectId, channel.id, event.event_id, event.type],
      );
    });
    return {
      status: 202,
      body: toDeliveryRecord(await prisma.delivery.findUniqueOrThrow({ where: { id } })),
    };
  },
});
