// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { EVENT_TYPES } from '@chainwatch/events';
import { integerParameter, pageParameters, pageSchema, toPage } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import type { ApiDeps } from '../../api-deps.ts';
import { defineRoute } from '../../define-route.ts';
import {
  eventConditions,
  eventFilterParameters,
  toEventFilters,
  type EventFilters,
} from '../../events/event-filters.ts';
import { checkPosition, readPositions } from '../../events/read-positions.ts';
import { exportTypes } from '../../lists/export-formats.ts';
import type { Listing } from '../../lists/exports.ts';
import { openPager, type Range } from '../../lists/pager.ts';
import { readIdsByValue } from '../../lists/read-ids-by-value.ts';
import { eventHorizon, eventItemSchema, isEvent, toEventItem } from '../../records/event.ts';

const querySchema = z
  .strictObject({
    ...pageParameters,
    sort_by: z.enum(['created_at', '-created_at']).optional().meta({ default: '-created_at' }),
    after: integerParameter(0)
      .optional()
      .meta({
        description:
          'Only events behind this position, in the order of positions: `meta.last_position` is the `after` of the next request. Not together with `page`, `cursor` or `sort_by`.',
        examples: [18_231],
      }),
    ...eventFilterParameters,
  })
  .superRefine((query, ctx) => {
    const other = (['page', 'sort_by', 'cursor'] as const).find((name) => query[name] !== undefined);
    if (query.after !== undefined && other !== undefined)
      ctx.addIssue({ code: 'custom', path: ['after'], message: `expected no ${other} beside it` });
  });

type Query = z.output<typeof querySchema>;

const pageOfEvents = pageSchema(eventItemSchema);
const positionMeta = {
  last_position: z
    .int()
    .min(0)
    .optional()
    .meta({
      description: 'With `after`: everything up to here was read, what the filters kept back included.',
      examples: [18_240],
    }),
  has_more: z
    .boolean()
    .optional()
    .meta({
      description:
        'With `after`: whether more events follow `last_position` already. `total` then counts this answer only.',
      examples: [false],
    }),
};

export const listEvents = defineRoute({
  method: 'GET',
  path: '/events',
  permission: 'api:event:read',
  // A position that was read from the primary may not be reached yet at a standby.
  reads: ({ after }) => (after === undefined ? 'standby' : 'primary'),
  summary: 'Events of the project, as they were sent; kept for 30 days unless configured otherwise',
  query: querySchema,
  problems: [410],
  responses: {
    200: pageOfEvents.extend({
      meta: pageOfEvents.shape.meta
        .extend(positionMeta)
        .meta({ id: 'EventPageMeta', description: 'Position and size of the list of events.' })
        .meta({ description: 'Position and size of the list.' }),
    }),
  },
  alternatives: exportTypes(eventItemSchema),
  handle: async ({ query, principal, mediaType }, deps) => {
    const { after } = query;
    const exported = await deps.exports.answer({
      ...{ mediaType, record: eventItemSchema, principal, query, deps },
      open: async ({ db }) => openEvents(db, principal, query),
    });
    if (exported !== undefined) return exported;
    const body =
      after === undefined
        ? await readPage(deps, principal, query)
        : await readOn(deps.db, { ...query, projectId: principal.projectId, after });
    return { status: 200, body };
  },
});

async function readOn(
  db: Sql,
  { projectId, after, limit, ...query }: Query & { readonly projectId: string; readonly after: number },
): Promise<unknown> {
  await checkPosition(db, projectId, after);
  const { events, lastPosition, hasMore } = await readPositions(db, {
    projectId,
    after,
    limit,
    filters: toEventFilters(query),
  });
  const { items, meta } = toPage(toItems(events), { total: events.length, request: { limit } });
  return { items, meta: { ...meta, last_position: lastPosition, has_more: hasMore } };
}

async function readPage(
  { db, sealer }: Pick<ApiDeps, 'db' | 'sealer'>,
  principal: Principal,
  query: Query,
): Promise<unknown> {
  const { projectId } = principal;
  const pager = openPager({ sealer, principal, list: 'events', query });
  const filters = shownFilters(query);
  const total = await countEvents(db, projectId, filters);
  const found =
    pager.range.offset < total ? await findRows(db, { projectId, query, filters })(pager.range) : [];
  const { rows, nextCursor } = pager.close(found);
  const stored = await readRows(
    db,
    rows.map(({ id }) => id),
  );
  return toPage(toItems(stored), { total, request: query, nextCursor });
}

/** All of them, for an export. */
function openEvents(db: Sql, { projectId }: Principal, query: Query): Listing {
  return {
    find: findRows(db, { projectId, query, filters: shownFilters(query) }),
    // Who exports is told that a row cannot be read: its export is cut.
    read: async (ids) => (await readRows(db, ids)).map(toEventItem),
    weight: { table: 'event_log', idType: 'bigint', bytes: 'octet_length(t.payload)' },
  };
}

/** Events are shown for a limited time. */
function shownFilters(query: Query): EventFilters {
  const filters = toEventFilters(query);
  const horizon = eventHorizon();
  return { ...filters, from: filters.from !== undefined && filters.from > horizon ? filters.from : horizon };
}

function findRows(
  db: Sql,
  {
    projectId,
    query,
    filters,
  }: { readonly projectId: string; readonly query: Query; readonly filters: EventFilters },
) {
  const { types = EVENT_TYPES } = filters;
  const parameters: unknown[] = [undefined, projectId];
  const where = `project_id = $2 AND NOT is_held AND ${eventConditions({ ...filters, types: undefined }, parameters)}`;
  const source = {
    table: 'event_log',
    id: 'id',
    key: 'type',
    type: 'text',
    values: [...new Set(types)],
    where,
    parameters: parameters.slice(1),
  } as const;
  const order = {
    column: 'created_at',
    direction: query.sort_by === 'created_at' ? 'ASC' : 'DESC',
  } as const;
  return (range: Range) => readIdsByValue(db, { source, order, page: range });
}

/** The range is counted from the index. */
async function countEvents(db: Sql, projectId: string, filters: EventFilters): Promise<number> {
  const values: unknown[] = [projectId];
  const { rows } = await db.query<{ total: number }>(
    `SELECT count(*) AS total FROM event_log e WHERE project_id = $1 AND NOT is_held AND ${eventConditions(filters, values)}`,
    values,
  );
  return rows[0]!.total;
}

interface StoredEvent {
  readonly payload: string;
  readonly position: number | null;
}

/** One that cannot be read stops no page. */
function toItems(rows: readonly StoredEvent[]): ReturnType<typeof toEventItem>[] {
  return rows.filter(({ payload }) => isEvent(payload)).map(toEventItem);
}

async function readRows(db: Sql, ids: readonly string[]): Promise<StoredEvent[]> {
  const { rows } = await db.query<StoredEvent>(
    `SELECT e.payload, p.position FROM unnest($1::bigint[]) WITH ORDINALITY AS u (id, place)
     CROSS JOIN LATERAL (SELECT id, payload FROM event_log WHERE id = u.id OFFSET 0) e
     LEFT JOIN event_positions p ON p.event_row_id = e.id ORDER BY u.place`,
    [ids],
  );
  return rows;
}
