import { z } from 'zod';
import { notFound } from '@chainwatch/problem';
import { defineRoute } from '../../define-route.ts';
import { findChannel } from '../../find-channel.ts';
import { deliveryDetailSchema, toDeliveryDetailRecord } from '../../records/delivery.ts';

export const getDelivery = defineRoute({
  method: 'GET',
  path: '/notification_channels/:channel_id/deliveries/:delivery_id',
  summary: 'One delivery with every attempt',
  params: z.object({ channel_id: z.uuid(), delivery_id: z.uuid() }),
  responses: { 200: deliveryDetailSchema },
  handle: async ({ params, principal }, deps) => {
    const channel = await findChannel(deps, principal, params.channel_id);
    const row = await deps.prisma.delivery.findFirst({
      where: { id: params.delivery_id, channelId: channel.id },
      include: { attempts: { orderBy: { number: 'asc' } } },
    });
    if (!row) throw notFound(`There is no delivery ${params.delivery_id} of this channel.`);
    return { status: 200, body: toDeliveryDetailRecord(row) };
  },
});
