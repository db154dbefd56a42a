import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { notFound } from '@chainwatch/problem';
import type { ApiDeps } from '../server/api-deps.ts';
import type { Principal } from '@chainwatch/key-store';
import { channelParams, findChannel } from '../channels/find-channel.ts';
import { ATTEMPTS_SHOWN } from '../records/delivery.ts';

export const deliveryParams = channelParams.extend({ delivery_id: z.uuid() });

/** A delivery with its last attempts, oldest first. @throws ProblemError 404 */
export async function findDelivery(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  principal: Principal,
  params: z.infer<typeof deliveryParams>,
): Promise<Prisma.DeliveryGetPayload<{ include: { attempts: true } }>> {
  const channel = await findChannel({ prisma }, { principal, id: params.notification_channel_id });
  // Two statements on one snapshot: else an attempt could be told whose outcome the delivery does not know yet.
  const row = await prisma.$transaction(
    async (sql) => {
      const delivery = await sql.delivery.findFirst({
        where: { id: params.delivery_id, channelId: channel.id },
      });
      if (!delivery) return undefined;
      const attempts = await sql.deliveryAttempt.findMany({
        where: { deliveryId: delivery.id },
        orderBy: [{ number: 'desc' }, { id: 'desc' }],
        take: ATTEMPTS_SHOWN,
      });
      return { ...delivery, attempts: attempts.reverse() };
    },
    { isolationLevel: 'RepeatableRead' },
  );
  if (!row) throw notFound(`There is no delivery ${params.delivery_id} of this channel.`);
  return row;
}
