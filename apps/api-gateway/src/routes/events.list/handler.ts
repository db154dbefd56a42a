import { z } from 'zod';
import { eventTypeSchema } from '@chainwatch/channels';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/db';
import {
  booleanParameter,
  listParameter,
  offsetOf,
  pageParameters,
  pageSchema,
  sortParameter,
  toPage,
} from '@chainwatch/http';
import { defineRoute } from '../../server/define-route.ts';
import { readIdsByValue } from '../../lists/read-ids-by-value.ts';
import { eventHorizon, eventSchema, toEventRecord } from '../../records/event.ts';
import { madeAtSchema, madeUntilSchema } from '../../records/path-schemas.ts';

const querySchema = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['created_at'], '-created_at'),
  types: listParameter(eventTypeSchema),
  chain_gids: listParameter(chainGidSchema),
  transaction_id: z
    .uuid()
    .optional()
    .meta({
      description: 'Only events of the transaction with that `id`.',
      examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
    }),
  is_test: booleanParameter.default(false).meta({ description: 'Only test messages, or only real events.' }),
  since: madeAtSchema.optional(),
  until: madeUntilSchema.optional(),
});

/** Includes the event types, for which an index is asked one by one. */
interface EventFilters {
  readonly projectId: string;
  readonly types: readonly string[];
  readonly chains: readonly string[] | undefined;
  readonly transactionId: string | undefined;
  /** Test messages only, or everything else. */
  readonly isTest: boolean;
  readonly from: Date;
  readonly to: Date | undefined;
}

export const listEvents = defineRoute({
  method: 'GET',
  path: '/events',
  permission: 'api:event:read',
  summary: 'Events of the project, as they were sent; kept for 30 days unless configured otherwise',
  query: querySchema,
  responses: { 200: pageSchema(eventSchema) },
  handle: async ({ query, principal }, { db, prisma }) => {
    const horizon = eventHorizon();
    const filters: EventFilters = {
      projectId: principal.projectId,
      types: [...new Set(query.types ?? eventTypeSchema.options)],
      chains: query.chain_gids?.map(normalizeChainGid),
      transactionId: query.transaction_id,
      isTest: query.is_test,
      from: query.since !== undefined && query.since > horizon ? query.since : horizon,
      to: query.until,
    };
    const total = await countEvents(db, filters);
    const page = {
      column: 'created_at',
      direction: query.sort_by.startsWith('-') ? 'DESC' : 'ASC',
      offset: offsetOf(query),
      limit: query.limit,
    } as const;
    const { where, parameters } = toConditions(filters);
    const ids =
      page.offset < total
        ? await readIdsByValue(
            db,
            {
              table: 'events',
              id: 'id',
              key: 'type',
              type: 'text',
              values: filters.types,
              where,
              parameters,
            },
            page,
          )
        : [];
    const rows = new Map(
      (await prisma.event.findMany({ where: { id: { in: ids.map(BigInt) } } })).map((row) => [
        Number(row.id),
        row,
      ]),
    );
    return {
      status: 200,
      body: toPage(ids.flatMap((id) => rows.get(Number(id)) ?? []).map(toEventRecord), total, query),
    };
  },
});

/** Events are shown for a limited time, so the range is counted from the index. */
async function countEvents(db: Sql, filters: EventFilters): Promise<number> {
  const { where, parameters } = toConditions(filters);
  const { rows } = await db.query<{ total: number }>(
    `SELECT count(*) AS total FROM events WHERE type = ANY ($1) AND ${where}`,
    [filters.types, ...parameters],
  );
  return rows[0]!.total;
}

/** Conditions after the first parameter. A filter that is not used is left out, so that an index alone can answer. */
function toConditions({ projectId, chains, transactionId, isTest, from, to }: EventFilters): {
  where: string;
  parameters: unknown[];
} {
  const parameters: unknown[] = [projectId, from];
  const conditions = [
    `project_id = $2 AND NOT is_held AND subject_kind ${isTest ? '=' : '<>'} 'test' AND created_at >= $3`,
  ];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) conditions.push(condition(`$${parameters.push(value) + 1}`));
  };
  add((p) => `created_at <= ${p}`, to);
  add((p) => `chain_gid = ANY (${p})`, chains);
  add((p) => `transaction_id = ${p}`, transactionId);
  return { where: conditions.join(' AND '), parameters };
}
