// SPDX-License-Identifier: Apache-2.0
import type { Test } from 'supertest';
import type { SpecWorld } from './spec-world.ts';

type Method = Parameters<SpecWorld['send']>[0];

export interface SpecPortal {
  readonly id: string;
  readonly token: string;
  ask(method: Method, path: string, headers?: Readonly<Record<string, string>>): Test;
}

/** A portal session on channels, made with a key; default everything that it can be for. */
export async function openPortal(
  world: SpecWorld,
  channelIds: readonly string[],
  {
    key = world.project.keys.api,
    ...body
  }: { readonly key?: string } & Readonly<Record<string, unknown>> = {},
): Promise<SpecPortal> {
  const permissions = [
    ...['api:notification_channel:read', 'api:notification_channel:write', 'api:delivery:read'],
    ...['api:delivery:replay', 'api:event:read'],
  ];
  const { body: made } = await world
    .send('post', '/v1/portal_sessions', key)
    .send({ channel_ids: channelIds, ttl_seconds: 600, permissions, ...body })
    .expect(201);
  const token = String(made.url).split('#')[1]!;
  return {
    id: made.id,
    token,
    ask: (method, path, headers = {}) =>
      world.send(method, `/v1${path}`).set({ Authorization: `Bearer ${token}`, ...headers }),
  };
}

/** A delivery of a new event through a channel, with one attempt. */
export async function addDelivery(
  { db, send }: SpecWorld,
  {
    key,
    channelId,
    status = 'delivered',
  }: { readonly key: string; readonly channelId: string; readonly status?: string },
): Promise<{ id: string; eventId: string }> {
  const { body } = await send('post', `/v1/channels/${channelId}/actions/test`, key).expect(202);
  await db.query(
    `WITH a AS (INSERT INTO delivery_attempts (id, delivery_id, number, started_at, duration_ms, status_code, request, response_body)
       VALUES (gen_random_uuid(), $1, 1, now(), 5, 200, $2, 'ok'))
     UPDATE deliveries SET status = $3, attempt_count = 1, is_test = false WHERE id = $1`,
    [body.id, JSON.stringify({ method: 'POST', url: `https://1.1.1.1/${channelId}`, headers: {} }), status],
  );
  return { id: body.id, eventId: body.event_id };
}
