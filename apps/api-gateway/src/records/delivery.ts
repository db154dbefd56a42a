// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { createdAtSchema, updatedAtSchema } from './recorded-times.ts';

export const deliveryStatusSchema = z.enum(['pending', 'held', 'delivered', 'failed', 'discarded']);

export const deliverySchema = z
  .object({
    id: z.uuid().meta({
      description: 'Of the delivery; each attempt has an id of its own.',
      examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
    }),
    channel_id: z
      .uuid()
      .meta({ description: 'Its channel.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    event_id: z.uuid().meta({
      description: 'The event that is delivered.',
      examples: ['6f1d1f4e-0000-5000-8000-000000000001'],
    }),
    event_type: z.string().meta({ description: 'Its type.', examples: ['transaction.detected'] }),
    status: deliveryStatusSchema.meta({
      description:
        '`pending`: to be sent, or sent again; `held`: waits for its channel; `delivered`; `failed`: all attempts are used up; `discarded`: never sent.',
    }),
    attempt_count: z.int().meta({ description: 'Attempts made so far.', examples: [1] }),
    is_test_message: z.boolean().meta({ description: 'True for what `actions/test` sends.' }),
    next_attempt_at: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          'When it is tried next. Null when no attempt is due: it arrived, was given up, or waits for its channel.',
        examples: [null],
      }),
    last_error: z
      .string()
      .nullable()
      .meta({ description: 'What the last attempt failed with. Null otherwise.', examples: [null] }),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
    delivered_at: z.iso
      .datetime()
      .nullable()
      .meta({
        description: 'When the receiver took it. Null before.',
        examples: ['2026-01-01T00:00:00.000Z'],
      }),
  })
  .meta({ id: 'Delivery' });

/** Of a delivery that was sent again and again; each may have 16 KiB of an answer. */
export const ATTEMPTS_SHOWN = 100;

export const deliveryDetailSchema = deliverySchema
  .extend({
    attempts: z
      .array(
        z.object({
          id: z.uuid().meta({
            description: '`X-Webhook-Delivery-Id` of the attempt.',
            examples: ['0b0f7a3c-5a4e-4f5e-9f3a-6a1f0f1e2d3c'],
          }),
          number: z.int().meta({ description: 'From 1.', examples: [1] }),
          started_at: z.iso
            .datetime()
            .meta({ description: 'When it was sent.', examples: ['2026-01-01T00:00:00.000Z'] }),
          duration_ms: z
            .int()
            .meta({ description: 'Until the answer, or the failure, in milliseconds.', examples: [132] }),
          status_code: z
            .int()
            .nullable()
            .meta({ description: 'HTTP status of the answer. Null without one.', examples: [200] }),
          error_code: z
            .string()
            .nullable()
            .meta({ description: 'What failed, for programs. Null where an answer came.', examples: [null] }),
          request: z.unknown().meta({
            description: 'What was sent: `url`, `headers` and `body`, with its secrets masked.',
            examples: [
              {
                url: 'https://hooks.example.com/chainwatch',
                headers: { 'content-type': 'application/json' },
                body: '{"event_id":"…"}',
              },
            ],
          }),
          response_headers: z
            .record(z.string(), z.unknown())
            .nullable()
            .meta({
              description: 'Of the answer. Null without one.',
              examples: [{ 'content-type': 'text/plain' }],
            }),
          response_body: z
            .string()
            .nullable()
            .meta({ description: 'The first 16 KiB of the answer. Null without one.', examples: ['ok'] }),
        }),
      )
      .meta({ description: `The last ${ATTEMPTS_SHOWN} attempts, oldest first.` }),
  })
  .meta({ id: 'DeliveryWithAttempts' });

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
    response_headers: attempt.responseHeaders as Record<string, unknown> | null,
    response_body: attempt.responseBody,
  }));
  return { ...toDeliveryRecord(row), attempts };
}
