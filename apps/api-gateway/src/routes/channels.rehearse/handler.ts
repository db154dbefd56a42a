// SPDX-License-Identifier: Apache-2.0
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { conflict, invalidRequest } from '@chainwatch/problem';
import { takeBulkSlot } from '../../bulk/take-bulk-slot.ts';
import { channelParams, findChannel, SIGNED_KINDS } from '../../channels/find-channel.ts';
import { defineRoute } from '../../server/define-route.ts';
import { SCENARIO_NAMES, SCENARIOS, type Rehearsed } from './scenarios.ts';

const rehearsalSchema = z
  .object({
    scenario: z.enum(SCENARIO_NAMES).meta({ description: 'What is rehearsed.', examples: ['duplicate'] }),
    deliveries: z
      .array(
        z
          .object({
            id: z.uuid().meta({
              description: 'The delivery, whose attempts are in the log of the channel.',
              examples: ['6f1d1f4e-0000-7000-8000-000000000001'],
            }),
            event_id: z.uuid().meta({
              description: 'The made-up event.',
              examples: ['6f1d1f4e-0000-5000-8000-000000000001'],
            }),
            event_type: z.string().meta({ description: 'Its type.', examples: ['transaction.confirmed'] }),
          })
          .meta({ id: 'RehearsedDelivery' }),
      )
      .meta({ description: 'In the order in which they are sent.' }),
  })
  .meta({ id: 'Rehearsal' });

export const rehearseChannel = defineRoute({
  method: 'POST',
  path: '/notification_channels/:notification_channel_id/actions/rehearse',
  permission: 'api:notification_channel:write',
  summary:
    'Try the receiver of a sandbox channel: made-up events that come twice, in the wrong order, late, or all at once',
  params: channelParams,
  body: z.strictObject({
    scenario: z.enum(SCENARIO_NAMES).meta({
      description: SCENARIO_NAMES.map((name) => `\`${name}\`: ${SCENARIOS[name].description}`).join('; '),
      examples: ['duplicate'],
    }),
  }),
  example: { scenario: 'duplicate' },
  responses: { 202: rehearsalSchema },
  handle: async ({ params, body: { scenario }, principal }, { db, cache, ...deps }) => {
    const channel = await findChannel(deps, { principal, id: params.notification_channel_id });
    if ((channel.config as { sandbox?: unknown }).sandbox !== true)
      throw conflict('The channel is no sandbox: change it with "sandbox": true first.');
    if (channel.isArchived) throw conflict('The channel is archived: restore it first.');
    if (scenario === 'rotation' && !SIGNED_KINDS.some(({ kind }) => kind === channel.kind))
      throw invalidRequest([
        {
          name: 'scenario',
          reason: `expected one without signatures: a ${channel.kind} channel does not sign`,
        },
      ]);
    const free = await takeBulkSlot(cache, principal.workspaceId);
    try {
      const rows = SCENARIOS[scenario]
        .make(principal.projectId)
        .map((rehearsed: Rehearsed) => ({ ...rehearsed, id: uuidv7() }));
      const status = channel.status === 'active' ? 'pending' : 'held';
      await db.transaction(async (sql) => {
        // For this one channel only: the events are not published, and dispatched to no other channel.
        await sql.query(
          `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload)
           SELECT u.event_id, $1, u.type, u.sequence, 'test', u.payload
           FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::text[]) AS u (event_id, type, sequence, payload)`,
          [
            principal.projectId,
            rows.map(({ event }) => event.event_id),
            rows.map(({ event }) => event.type),
            rows.map(({ event }) => event.sequence),
            rows.map(({ event }) => JSON.stringify(event)),
          ],
        );
        await sql.query(
          `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at, rehearsal)
           SELECT u.id, $1, $2, u.event_id, u.type, $3, now() + u.after_s * interval '1 s', u.rehearsal
           FROM unnest($4::uuid[], $5::uuid[], $6::text[], $7::int[], $8::text[]) AS u (id, event_id, type, after_s, rehearsal)`,
          [
            principal.projectId,
            channel.id,
            status,
            rows.map(({ id }) => id),
            rows.map(({ event }) => event.event_id),
            rows.map(({ event }) => event.type),
            rows.map(({ afterS }) => afterS),
            rows.map(({ rehearsal }) => rehearsal ?? null),
          ],
        );
      });
      return {
        status: 202,
        body: {
          scenario,
          deliveries: rows.map(({ id, event }) => ({ id, event_id: event.event_id, event_type: event.type })),
        },
      };
    } finally {
      await free();
    }
  },
});
