import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';

export const deliveryStatusSchema = z.enum(['pending', 'held', 'delivered', 'failed', 'discarded']);

export const deliverySchema = z.object({
  id: z.uuid(),
  channel_id: z.uuid(),
  event_id: z.uuid(),
  event_type: z.string(),
  status: deliveryStatusSchema,
  attempt_count: z.int(),
  is_test_message: z.boolean(),
  next_attempt_at: z.iso.datetime().nullable().describe('Null when no attempt is due: it arrived, was given up, or waits for its channel.'),
  last_error: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  delivered_at: z.iso.datetime().nullable(),
});

export const deliveryDetailSchema = deliverySchema.extend({
  attempts: z.array(
    z.object({
      id: z.uuid().describe('`X-Webhook-Delivery-Id` of the attempt.'),
      number: z.int(),
      started_at: z.iso.datetime(),
      duration_ms: z.int(),
      status_code: z.int().nullable(),
      error_code: z.string().nullable(),
      request: z.unknown(),
      response_headers: z.unknown().nullable(),
      response_body: z.string().nullable(),
    }),
  ),
});

type DeliveryRow = Prisma.DeliveryGetPayload<object>;
type DeliveryDetailRow = Prisma.DeliveryGetPayload<{ include: { attempts: true } }>;

export function toDeliveryRecord(row: DeliveryRow): z.infer<typeof deliverySchema> {
  return {
    id: row.id,
    channel_id: row.channelId,
    event_id: row.eventId,
    event_type: row.eventType,
    status: deliveryStatusSchema.parse(row.status),
    attempt_count: row.attemptCount,
    is_test_message: row.isTest,
    next_attempt_at: row.status === 'pending' ? row.nextAttemptAt.toISOString() : null,
    last_error: row.lastError,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    delivered_at: row.deliveredAt?.toISOString() ?? null,
  };
}

export function toDeliveryDetailRecord(row: DeliveryDetailRow): z.infer<typeof deliveryDetailSchema> {
  const attempts = row.attempts.map((attempt) => ({
    id: attempt.id,
    number: attempt.number,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error_code: attempt.errorCode,
    request: attempt.request,
    response_headers: attempt.responseHeaders,
    response_body: attempt.responseBody,
  }));
  return { ...toDeliveryRecord(row), attempts };
}
