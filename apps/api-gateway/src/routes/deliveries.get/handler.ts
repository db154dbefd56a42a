// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { deliveryParams, findDelivery } from '../../deliveries/find-delivery.ts';
import { deliveryDetailSchema, toDeliveryDetailRecord } from '../../records/delivery.ts';

export const getDelivery = defineRoute({
  method: 'GET',
  path: '/notification_channels/:notification_channel_id/deliveries/:delivery_id',
  permission: 'api:delivery:read',
  isForPortals: true,
  summary: 'One delivery with its attempts',
  params: deliveryParams,
  responses: { 200: deliveryDetailSchema },
  handle: async ({ params, principal }, deps) => ({
    status: 200,
    body: toDeliveryDetailRecord(await findDelivery(deps, principal, params)),
  }),
});
