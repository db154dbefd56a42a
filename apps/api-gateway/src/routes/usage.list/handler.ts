// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import { listParameter, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/platform/http';
import { describeLatency, latencySchema, type LatencyColumns } from '../../records/latency.ts';
import { defineRoute } from '../../define-route.ts';
import { sumCounts } from '../../lists/sum-counts.ts';
import { timestampSchema, untilSchema } from '../../records/path-schemas.ts';
import { behindSql, keySql, orderSql, type ListOrder } from '../../lists/list-order.ts';
import { openPager, type Key } from '../../lists/pager.ts';

const count = z.int().min(0);

const usageSchema = z
  .object({
    hour: z.iso
      .datetime()
      .meta({ description: 'Beginning of the hour.', examples: ['2026-01-01T00:00:00.000Z'] }),
    key_id: z
      .uuid()
      .meta({ description: 'The RPC key.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    chain_gid: z.string().meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] }),
    method: z.string().meta({
      description: 'The method; `other` for those that the gateway does not know.',
      examples: ['eth_getBalance'],
    }),
    requests: count.meta({ description: 'Calls that were admitted.', examples: [1_200] }),
    failures: count.meta({
      description: 'Of them: refused by the gateway after that, or answered with a status of 5xx.',
      examples: [3],
    }),
    cached: count.meta({ description: 'Of them: answered without asking a node.', examples: [400] }),
    bytes_in: count.meta({ description: 'Bytes of their bodies.', examples: [120_000] }),
    bytes_out: count.meta({ description: 'Bytes of the answers.', examples: [480_000] }),
    latency: latencySchema.nullable().meta({
      description:
        'How long they took, from the call to the end of its answer; a call of a batch takes as long as the batch. Null where no time was taken.',
    }),
  })
  .meta({ id: 'Usage' });
type UsageRow = Omit<z.infer<typeof usageSchema>, 'hour' | 'latency'> &
  LatencyColumns & { readonly hour: Date };

const querySchema = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['hour'], '-hour'),
  key_ids: listParameter(z.uuid()).meta({
    description: 'Only what these keys called.',
    examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
  }),
  chain_gids: listParameter(chainGidSchema),
  methods: listParameter(z.string().min(1).max(64)).meta({
    description: 'Only calls of these methods.',
    examples: [['eth_getBalance']],
  }),
  since: timestampSchema.optional(),
  until: untilSchema.optional(),
});
type UsageQuery = z.infer<typeof querySchema>;

export const listUsage = defineRoute({
  method: 'GET',
  path: '/management/usage',
  permission: 'mgt:key:read',
  reads: 'standby',
  summary: 'What the RPC keys of the workspace called, by the hour',
  query: querySchema,
  responses: { 200: pageSchema(usageSchema) },
  handle: async ({ query, principal }, { db, sealer }) => {
    const filters = [
      principal.workspaceId,
      query.key_ids ?? null,
      query.chain_gids?.map(normalizeChainGid) ?? null,
      query.methods ?? null,
      query.since ?? null,
      query.until ?? null,
    ];
    const where = `workspace_id = $1 AND ($2::uuid[] IS NULL OR key_id = ANY($2)) AND ($3::text[] IS NULL OR chain_gid = ANY($3))
      AND ($4::text[] IS NULL OR method = ANY($4)) AND ($5::timestamptz IS NULL OR hour >= $5) AND ($6::timestamptz IS NULL OR hour <= $6)`;
    const pager = openPager({ sealer, principal, list: 'usage', query });
    const order: ListOrder = {
      columns: [
        { name: 'hour', type: 'timestamptz' },
        { name: 'key_id', type: 'uuid', isAscending: true },
        { name: 'chain_gid', type: 'text', isAscending: true },
        { name: 'method', type: 'text', isAscending: true },
      ],
      direction: query.sort_by.startsWith('-') ? 'DESC' : 'ASC',
    };
    const { offset, limit, after } = pager.range;
    const values: unknown[] = [...filters];
    const behind =
      after === undefined ? 'true' : behindSql(order, after, (value) => `$${values.push(value)}`);
    const [found, total] = await Promise.all([
      db.query<UsageRow & { readonly key: Key }>(
        `SELECT hour, key_id, chain_gid, method, requests, failures, cached, bytes_in, bytes_out, latency_ms, latency_counts::float8[], ${keySql(order)} AS key FROM rpc_usage
         WHERE ${where} AND ${behind} ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}`,
        values,
      ),
      countUsage(db, query, { workspaceId: principal.workspaceId, where, values: filters }),
    ]);
    const { rows, nextCursor } = pager.close(found.rows);
    const items = rows.map(({ key: _, latency_ms, latency_counts, ...row }) => ({
      ...row,
      hour: row.hour.toISOString(),
      latency: describeLatency({ latency_ms, latency_counts }),
    }));
    return { status: 200, body: toPage(items, { total, request: query, nextCursor }) };
  },
});

/** From kept totals, unless a time range is given. */
async function countUsage(
  db: Sql,
  { key_ids, chain_gids, methods, since, until }: UsageQuery,
  { workspaceId, where, values }: { workspaceId: string; where: string; values: unknown[] },
): Promise<number> {
  if (since === undefined && until === undefined)
    return sumCounts(db, { scope: workspaceId, list: 'usage' }, [
      key_ids,
      chain_gids?.map(normalizeChainGid),
      methods,
    ]);
  const { rows } = await db.query<{ total: number }>(
    `SELECT count(*) AS total FROM rpc_usage WHERE ${where}`,
    values,
  );
  return rows[0]!.total;
}
