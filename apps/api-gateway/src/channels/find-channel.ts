import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import type { Principal } from '@chainwatch/key-store';
import { notFound } from '@chainwatch/problem';
import type { ApiDeps } from '../server/api-deps.ts';

export const channelParams = z.object({ notification_channel_id: z.uuid() });

export type StoredChannel = Prisma.NotificationChannelGetPayload<object>;
export type ChannelKind = 'webhook' | 'nats' | 'telegram';

/** @throws ProblemError 404, also when it is another project's, or of another kind than the one that is asked for */
export async function findChannel(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  principal: Principal,
  id: string,
  kind?: ChannelKind,
): Promise<StoredChannel> {
  const row = await prisma.notificationChannel.findFirst({
    where: { id, projectId: principal.projectId, kind },
  });
  if (!row) throw notFound(`There is no ${kind ?? 'notification'} channel ${id} in this project.`);
  return row;
}
