// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { CHANNEL_KINDS, type ChannelKind } from '@chainwatch/channels';
import type { Prisma } from '@chainwatch/data/prisma';
import type { Principal } from '@chainwatch/data/key-store';
import { notFound, type ProblemError } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';

export const channelParams = z.object({ notification_channel_id: z.uuid() });

export type StoredChannel = Prisma.NotificationChannelGetPayload<typeof withErrors>;
/** What of other tables a channel shows. */
export const withErrors = { include: { expressionErrors: true } } as const;
/** Channel kinds that sign their deliveries. */
export const SIGNED_KINDS = CHANNEL_KINDS.filter(({ isSigned }) => isSigned);

/**
 * @throws ProblemError 404, also if the channel belongs to another project or is not of a wanted kind. A channel of a
 * newer release is of no kind that this one knows.
 */
export async function findChannel(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  {
    principal,
    id,
    kinds = CHANNEL_KINDS,
  }: { readonly principal: Principal; readonly id: string; readonly kinds?: readonly ChannelKind[] },
): Promise<StoredChannel> {
  const row = await prisma.notificationChannel.findFirst({
    ...withErrors,
    where: {
      AND: [{ id }, withinPortal(principal)],
      projectId: principal.projectId,
      kind: { in: kinds.map(({ kind }) => kind) },
    },
  });
  if (!row) throw missingChannel(id, kinds);
  return row;
}

export function missingChannel(id: string, kinds = CHANNEL_KINDS): ProblemError {
  return notFound(`There is no ${describe(kinds)} channel ${id} in this project.`);
}

/** A portal session finds its own channels alone. */
function withinPortal({ portal }: Principal): Prisma.NotificationChannelWhereInput {
  return portal === undefined ? {} : { id: { in: [...portal.channelIds] } };
}

function describe(kinds: readonly ChannelKind[]): string {
  return kinds === CHANNEL_KINDS ? 'notification' : kinds.map(({ kind }) => kind).join(' or ');
}
