// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { integerParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { eventFilterParameters, toEventFilters } from '../../events/event-filters.ts';
import { checkPosition, readLastPosition } from '../../events/read-positions.ts';

export const streamEvents = defineRoute({
  method: 'GET',
  path: '/events/stream',
  permission: 'api:event:read',
  summary: 'Events of the project as server-sent events, each as soon as it has its position',
  query: z.strictObject({
    after: integerParameter(0)
      .optional()
      .meta({
        description:
          'Begin behind this position; without it and without `Last-Event-ID` the stream begins now.',
        examples: [18_231],
      }),
    ...eventFilterParameters,
  }),
  headers: z.object({
    'last-event-id': z
      .preprocess((value) => (value === '' ? undefined : value), integerParameter(0).optional())
      .meta({
        description:
          'The position that the client saw last, as browsers send it by themselves. It beats `after`.',
        examples: [18_231],
      }),
  }),
  problems: [410],
  mediaType: 'text/event-stream',
  responses: {
    200: z.string().meta({
      description:
        '`event` is the type, `data` the event on one line as channels get it, `id` its position. An `id` alone passes events that the filters keep back. A comment comes every 15 seconds.',
      examples: [
        'id: 18231\nevent: transaction.detected\ndata: {"event_id":"6f1d1f4e-0000-5000-8000-000000000001"}\n\n',
      ],
    }),
  },
  handle: async ({ query, headers, principal }, { db, feeds }) => {
    const { projectId } = principal;
    const given = headers['last-event-id'] ?? query.after;
    if (given !== undefined) await checkPosition(db, projectId, given);
    const after = given ?? (await readLastPosition(db, projectId));
    const request = { caller: principal, after, filters: toEventFilters(query) };
    const free = await feeds.enter(principal);
    return {
      status: 200,
      headers: {
        'Content-Type': 'text/event-stream; charset=utf-8',
        // Proxies that collect an answer before they pass it on (nginx) must not.
        'X-Accel-Buffering': 'no',
      },
      stream: (res) => feeds.serve(res, { ...request, free }),
    };
  },
});
