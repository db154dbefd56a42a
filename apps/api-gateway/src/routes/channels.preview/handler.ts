// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findNetwork } from '@chainwatch/chain-registry';
import { CHANNEL_KINDS, findChannelKind, selectionInput, shapeInput } from '@chainwatch/channels';
import { previewEvents } from '@chainwatch/deliveries/preview';
import { forbidden, invalidRequest } from '@chainwatch/common/problem';
import { takeBulkSlot } from '../../bulk/take-bulk-slot.ts';
import { checkChannel } from '../../channels/check-channel.ts';
import { eventHorizon, isEvent, toEventRecord, eventSchema } from '../../records/event.ts';
import { madeAtSchema } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

/** What a channel would have had. */
const previewSchema = z
  .object({
    since: z.iso.datetime().meta({
      description: 'Events made then or later were counted.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    until: z.iso.datetime().meta({
      description:
        'Events made before then were counted. Earlier than the `until` of the request where `is_complete` is false.',
      examples: ['2026-01-08T00:00:00.000Z'],
    }),
    is_complete: z.boolean().meta({
      description:
        'Whether the entire period was read. A preview reads up to 50,000 events for up to 8 seconds: ask again with a later `since`, or for a shorter time.',
      examples: [true],
    }),
    event_count: z
      .int()
      .min(0)
      .meta({ description: 'Events that the channel would have had.', examples: [412] }),
    counts: z
      .array(
        z
          .object({
            type: z.string().meta({ description: 'Type of event.', examples: ['transaction.confirmed'] }),
            chain_gid: z
              .string()
              .nullable()
              .meta({
                description: 'Chain of the events; null for events of no chain.',
                examples: ['eip155:1'],
              }),
            count: z
              .int()
              .min(1)
              .meta({ description: 'So many of them.', examples: [412] }),
          })
          .meta({ id: 'ChannelPreviewCount', description: 'Events of one type and chain.' }),
      )
      .meta({ description: 'The same by type and chain.' }),
    events: z.array(eventSchema).meta({ description: 'The first 20 of them, oldest first, whole.' }),
    bodies: z
      .array(z.string())
      .nullable()
      .meta({
        description:
          'The same events in the same order as the channel sends them: with `fields` and `format`, or as the text of a chat or mail. Null where that is the event as it is.',
        examples: [['{"event_id":"6f1d1f4e-0000-4000-8000-000000000001","data":{}}']],
      }),
  })
  .meta({ id: 'ChannelPreview', description: 'Which events of the past a channel would have had.' });

/** Whose members select and shape events are those of any kind. */
const defaultKind = CHANNEL_KINDS.find(({ isDefault }) => isDefault)!;

export const previewChannel = defineRoute({
  method: 'POST',
  path: '/notification_channels/preview',
  permission: 'api:notification_channel:write',
  summary: 'Which events of the past a channel would have had; also needs api:event:read',
  body: z.strictObject({
    kind: z
      .enum(CHANNEL_KINDS.map(({ kind }) => kind))
      .default(defaultKind.kind)
      .meta({
        description:
          'Kind of channel. Its default event types apply without `event_types`; `bodies` are what it sends.',
      }),
    ...selectionInput,
    ...shapeInput,
    since: madeAtSchema.meta({
      description:
        'Only events made then or later. Events are kept for 30 days unless configured otherwise: an earlier time counts as 30 days ago.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    until: madeAtSchema.optional().meta({
      description: 'Only events made before then. Absent: until now.',
      examples: ['2026-01-08T00:00:00.000Z'],
    }),
  }),
  example: {
    event_types: ['transaction.confirmed'],
    filters: { direction: 'in' },
    since: '2026-01-01T00:00:00Z',
  },
  responses: { 200: previewSchema },
  isRepeatable: true,
  handle: async ({ body: { kind, since: from, until: given, ...selection }, principal }, deps) => {
    const now = new Date();
    const until = given === undefined || given > now ? now : given;
    if (!principal.permissions.includes('api:event:read'))
      throw forbidden('A preview shows events: it needs the permission api:event:read, too.');
    if (from > until) throw invalidRequest([{ name: 'since', reason: 'expected a time before until' }]);
    const { defaultEventTypes, isVerbatim } = findChannelKind(kind)!;
    if (!isVerbatim) refuseShape(kind, selection);
    const { event_types = defaultEventTypes } = selection;
    const checked = await checkChannel(defaultKind, { ...selection, event_types }, deps);
    const free = await takeBulkSlot(deps.cache, principal.workspaceId);
    try {
      const since = latest(from, eventHorizon());
      const request = { projectId: principal.projectId, kind, selection: checked };
      const { db, logger, settings } = deps;
      const found = await previewEvents(
        { db, logger, findNetwork, publicUrl: settings.publicUrl?.replace(/\/+$/, '') },
        { ...request, since, until: latest(since, until) },
      );
      return {
        status: 200,
        body: {
          since: since.toISOString(),
          until: found.until.toISOString(),
          is_complete: found.isComplete,
          event_count: found.total,
          counts: found.counts.map(({ type, chainGid, count }) => ({ type, chain_gid: chainGid, count })),
          events: found.payloads.filter(isEvent).map((payload) => toEventRecord({ payload })),
          bodies: selection.fields || selection.format || !isVerbatim ? found.bodies : null,
        },
      };
    } finally {
      await free();
    }
  },
});

/** @throws ProblemError 400: such channels have a text of their own */
function refuseShape(kind: string, given: { readonly fields?: unknown; readonly format?: unknown }): void {
  const faults = (['fields', 'format'] as const).filter((name) => given[name] !== undefined);
  if (faults.length > 0)
    throw invalidRequest(
      faults.map((name) => ({ name, reason: `is not a member of channels of the kind ${kind}` })),
    );
}

const latest = (left: Date, right: Date): Date => (left > right ? left : right);
