// SPDX-License-Identifier: Apache-2.0
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { conflict, invalidRequest } from '@chainwatch/common/problem';
import { takeBulkSlot } from '../../bulk/take-bulk-slot.ts';
import { channelParams, findChannel, SIGNED_KINDS } from '../../channels/find-channel.ts';
import { defineRoute } from '../../define-route.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Rehearsal } from '@chainwatch/deliveries';
import { EVENTS, uuidv5, type EventEnvelope, type EventType } from '@chainwatch/events';

/** A made-up event, and how it is delivered. */
interface Rehearsed {
  readonly event: EventEnvelope;
  /** Seconds after the request. */
  readonly afterS: number;
  /** Undefined: as any other event. */
  readonly rehearsal?: Rehearsal;
}

/** What a transaction event tells: the second part of its type. */
type State = EventType extends infer T ? (T extends `transaction.${infer S}` ? S : never) : never;
const BURST = 1_000;
const HOUR_MS = 3_600_000;
/** Between events of which the order is the point. */
const STEP_S = 1;

interface Scenario {
  readonly description: string;
  make(projectId: string): readonly Rehearsed[];
}

/** What receivers get wrong, by name. */
const SCENARIOS = {
  duplicate: {
    description: 'an event is sent again after the receiver took it',
    make: (projectId) => [{ event: pay(projectId).tell('confirmed'), afterS: 0, rehearsal: 'duplicate' }],
  },
  reordered: {
    description: '`transaction.confirmed` comes before `transaction.detected`',
    make(projectId) {
      const payment = pay(projectId);
      const detected = payment.tell('detected');
      return [
        { event: payment.tell('confirmed'), afterS: 0 },
        { event: detected, afterS: STEP_S },
      ];
    },
  },
  reorg: {
    description: 'a confirmed transaction is undone',
    make(projectId) {
      const payment = pay(projectId);
      const states = ['detected', 'confirmed', 'reorged'] as const;
      return states.map((state, index) => ({ event: payment.tell(state), afterS: index * STEP_S }));
    },
  },
  late: {
    description: 'an event is an hour old',
    make: (projectId) => [
      { event: pay(projectId, new Date(Date.now() - HOUR_MS)).tell('confirmed'), afterS: 0 },
    ],
  },
  burst: {
    description: '1,000 events come at once',
    make: (projectId) =>
      Array.from({ length: BURST }, () => ({
        event: pay(projectId).tell('confirmed'),
        afterS: 0,
      })),
  },
  slow: {
    description: 'the answer is not awaited, and the event is sent again',
    make: (projectId) => [{ event: pay(projectId).tell('confirmed'), afterS: 0, rehearsal: 'slow' }],
  },
  rotation: {
    description: 'an event has two signatures, the first of a secret that the receiver does not know',
    make: (projectId) => [{ event: pay(projectId).tell('confirmed'), afterS: 0, rehearsal: 'rotation' }],
  },
} satisfies Readonly<Record<string, Scenario>>;

type ScenarioName = keyof typeof SCENARIOS;
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];

/** A made-up transaction, of which each further event has a higher sequence. */
function pay(projectId: string, at = new Date()): { tell(state: State): EventEnvelope } {
  const hash = `0x${randomBytes(32).toString('hex')}`;
  const [transactionId, addressId] = [randomUUID(), randomUUID()];
  let sequence = 0;
  return {
    tell(state) {
      const type: `transaction.${State}` = `transaction.${state}`;
      sequence += 1;
      const created = at.toISOString();
      const data = EVENTS[type].example({ at: created, id: () => addressId });
      return {
        event_id: uuidv5(`${projectId}|rehearsal|${randomUUID()}`),
        type,
        api_version: 'v1',
        created_at: created,
        is_test_message: true,
        project_id: projectId,
        sequence,
        data: { ...data, transaction: { ...data.transaction, id: transactionId, hash } },
      } as EventEnvelope;
    },
  };
}

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
