// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { invalidRequest } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { madeAtSchema, madeUntilSchema } from '../../records/path-schemas.ts';
import type { Sql } from '@chainwatch/data/db';
import { isEventKept } from '../../deliveries/is-event-kept.ts';

export const recover = defineRoute({
  method: 'POST',
  path: '/notification_channels/:notification_channel_id/deliveries/actions/recover',
  permission: 'api:delivery:replay',
  isForPortals: true,
  summary: 'Send again, in event order, what failed or was discarded since a time',
  params: channelParams,
  body: z.strictObject({
    since: madeAtSchema.meta({
      description: 'What was made then or later.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    until: madeUntilSchema
      .optional()
      .meta({ description: 'And before then; absent: until now.', examples: ['2026-01-02T00:00:00Z'] }),
  }),
  example: { since: '2026-01-01T00:00:00Z' },
  responses: {
    202: z.object({
      recovered_count: z
        .int()
        .min(0)
        .meta({ description: 'Deliveries that are sent again.', examples: [12] }),
    }),
  },
  handle: async ({ params, body, principal }, deps) => {
    const until = body.until ?? new Date();
    if (body.since > until) throw invalidRequest([{ name: 'since', reason: 'expected a time before until' }]);
    const { id } = await findChannel(deps, { principal, id: params.notification_channel_id });
    return {
      status: 202,
      body: {
        recovered_count: await recoverDeliveries(deps.db, { channelId: id, since: body.since, until }),
      },
    };
  },
});

const BATCH = 10_000;

/**
 * Adds failed and discarded deliveries to the channel's backlog, from which the notifier takes them in event order.
 * Returns how many.
 */
async function recoverDeliveries(
  db: Sql,
  { channelId, since, until }: { readonly channelId: string; readonly since: Date; readonly until: Date },
): Promise<number> {
  let recovered = 0;
  for (let count: number = BATCH; count === BATCH; recovered += count) {
    const { rowCount } = await db.query(
      `UPDATE deliveries SET status = 'held', attempt_base = attempt_count, next_attempt_at = now(), last_error = NULL, updated_at = now()
       WHERE id IN (SELECT id FROM deliveries d WHERE channel_id = $1 AND status IN ('failed', 'discarded') AND NOT is_test
         AND created_at >= $2 AND created_at <= $3 AND ${isEventKept('d.event_id')} LIMIT ${BATCH})`,
      [channelId, since, until],
    );
    count = rowCount ?? 0;
  }
  return recovered;
}
