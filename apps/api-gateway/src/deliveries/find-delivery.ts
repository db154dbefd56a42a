// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { notFound } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import type { Principal } from '@chainwatch/data/key-store';
import { channelParams, findChannel } from '../channels/find-channel.ts';
import { ATTEMPTS_SHOWN } from '../records/delivery.ts';

export const deliveryParams = channelParams.extend({ delivery_id: z.uuid() });

type Delivery = Prisma.DeliveryGetPayload<object>;
type Attempt = Prisma.DeliveryAttemptGetPayload<object>;

// One statement, one snapshot: else an attempt could be told whose outcome the delivery does not know yet.
const SELECT_DELIVERY = `
  SELECT d.id, d.project_id AS "projectId", d.channel_id AS "channelId", d.event_id AS "eventId",
         d.event_type AS "eventType", d.status, d.attempt_count AS "attemptCount", d.next_attempt_at AS "nextAttemptAt",
         d.last_error AS "lastError", d.created_at AS "createdAt", d.updated_at AS "updatedAt",
         d.delivered_at AS "deliveredAt", d.attempt_base AS "attemptBase", d.is_test AS "isTest",
         d.is_historical AS "isHistorical",
         a.id AS "attemptId", a.number, a.started_at AS "startedAt", a.duration_ms AS "durationMs",
         a.status_code AS "statusCode", a.error_code AS "errorCode", a.request, a.response_headers AS "responseHeaders",
         a.response_body AS "responseBody", a.created_at AS "attemptedAt"
    FROM deliveries d
    LEFT JOIN LATERAL (
         SELECT * FROM delivery_attempts WHERE delivery_id = d.id ORDER BY number DESC, id DESC LIMIT ${ATTEMPTS_SHOWN}
         ) a ON true
   WHERE d.id = $1 AND d.channel_id = $2
   ORDER BY a.number, a.id`;

type Row = Delivery & Omit<Attempt, 'id'> & { readonly attemptId: string | null; readonly attemptedAt: Date };

/** A delivery with its last attempts, oldest first. @throws ProblemError 404 */
export async function findDelivery(
  { db, prisma }: Pick<ApiDeps, 'db' | 'prisma'>,
  principal: Principal,
  params: z.infer<typeof deliveryParams>,
): Promise<Prisma.DeliveryGetPayload<{ include: { attempts: true } }>> {
  const channel = await findChannel({ prisma }, { principal, id: params.notification_channel_id });
  const { rows } = await db.query<Row>(SELECT_DELIVERY, [params.delivery_id, channel.id]);
  const [delivery] = rows;
  if (!delivery) throw notFound(`There is no delivery ${params.delivery_id} of this channel.`);
  const attempts = rows.flatMap(({ attemptId, attemptedAt, ...row }) =>
    attemptId === null ? [] : [{ ...row, id: attemptId, deliveryId: row.id, createdAt: attemptedAt }],
  );
  return { ...delivery, attempts };
}
