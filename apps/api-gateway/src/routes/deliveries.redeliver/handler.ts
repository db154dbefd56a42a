// SPDX-License-Identifier: Apache-2.0
import { conflict } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { deliveryParams, findDelivery } from '../../deliveries/find-delivery.ts';
import { isEventKept } from '../../deliveries/is-event-kept.ts';
import { deliverySchema, toDeliveryRecord } from '../../records/delivery.ts';

export const redeliver = defineRoute({
  method: 'POST',
  path: '/notification_channels/:notification_channel_id/deliveries/:delivery_id/actions/redeliver',
  permission: 'api:delivery:replay',
  isForPortals: true,
  summary:
    'Send an event again, with the same event id and a new delivery id; it waits while its channel is failed or archived',
  params: deliveryParams,
  responses: { 202: deliverySchema },
  problems: [409],
  handle: async ({ params, principal }, deps) => {
    const { id, eventId } = await findDelivery(deps, principal, params);
    // An open delivery goes out anyway. The schedule starts over; earlier attempts stay in the log.
    const { rows } = await deps.db.query(
      `UPDATE deliveries SET status = CASE WHEN is_test THEN 'pending' ELSE 'held' END, attempt_base = attempt_count, next_attempt_at = now(),
         delivered_at = NULL, last_error = NULL, updated_at = now()
       WHERE id = $1 AND status NOT IN ('pending', 'held') AND ${isEventKept('$2')} RETURNING id`,
      [id, eventId],
    );
    const row = await findDelivery(deps, principal, params);
    if (rows.length === 0 && !['pending', 'held'].includes(row.status))
      throw conflict('The event is older than what is kept, and cannot be sent again.');
    return { status: 202, body: toDeliveryRecord(row) };
  },
});
