import { z } from 'zod';
import { CHANNEL_KINDS, findChannelKind, selectionInput } from '@chainwatch/channels';
import { previewEvents } from '@chainwatch/deliveries/preview';
import { forbidden, invalidRequest } from '@chainwatch/problem';
import { takeBulkSlot } from '../../bulk/take-bulk-slot.ts';
import { checkChannel } from '../../channels/check-channel.ts';
import { eventHorizon, isEvent, toEventRecord } from '../../records/event.ts';
import { madeAtSchema } from '../../records/path-schemas.ts';
import { defineRoute } from '../../server/define-route.ts';
import { previewSchema } from './preview-schema.ts';

/** The kind whose bytes are shown. */
const shownKind = CHANNEL_KINDS.find(({ isDefault }) => isDefault)!;

export const previewChannel = defineRoute({
  method: 'POST',
  path: '/notification_channels/preview',
  permission: 'api:notification_channel:write',
  summary: 'Which events of the past a channel would have had; also needs api:event:read',
  body: z.strictObject({
    kind: z
      .enum(CHANNEL_KINDS.map(({ kind }) => kind))
      .default(shownKind.kind)
      .meta({ description: 'Kind of channel: without `event_types`, its default event types apply.' }),
    ...selectionInput,
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
    const { event_types = findChannelKind(kind)!.defaultEventTypes } = selection;
    const checked = await checkChannel(shownKind, { ...selection, event_types }, deps);
    const free = await takeBulkSlot(deps.cache, principal.workspaceId);
    try {
      const since = latest(from, eventHorizon());
      const request = { projectId: principal.projectId, kind: shownKind.kind, selection: checked };
      const found = await previewEvents(deps.db, { ...request, since, until: latest(since, until) });
      return {
        status: 200,
        body: {
          since: since.toISOString(),
          until: found.until.toISOString(),
          is_complete: found.isComplete,
          event_count: found.total,
          counts: found.counts.map(({ type, chainGid, count }) => ({ type, chain_gid: chainGid, count })),
          events: found.bodies.filter(isEvent).map((payload) => toEventRecord({ payload })),
        },
      };
    } finally {
      await free();
    }
  },
});

const latest = (left: Date, right: Date): Date => (left > right ? left : right);
