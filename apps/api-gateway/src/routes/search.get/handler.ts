// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { searchHitSchema, type SearchHit } from '../../records/search-hit.ts';
import { defineRoute } from '../../define-route.ts';
import type { Permission } from '@chainwatch/common/api-key';
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { listCanonicalForms } from '../../addresses/parse-address.ts';
import { eventHorizon } from '../../records/event.ts';

export const search = defineRoute({
  method: 'GET',
  path: '/search',
  permission: 'any',
  summary: 'What an address, hash, id or label belongs to, among what the key may read',
  query: z.strictObject({
    q: z
      .string()
      .trim()
      .min(1)
      .max(256)
      .meta({
        description:
          'An address, a transaction hash or at least its first 6 characters, the id of an event, delivery, attempt, transaction or request, or a part of a label or name.',
        examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
      }),
  }),
  responses: {
    200: z.object({
      items: z
        .array(searchHitSchema)
        .meta({ description: 'At most 8 of each type, what is named exactly first.' }),
    }),
  },
  handle: async ({ query, principal }, { db }) => ({
    status: 200,
    body: { items: await findHits(db, principal, query.q) },
  }),
});

interface Wanted {
  /** Its parameters: $1 the project or workspace, $2 `values`, $3 the bound. */
  readonly sql: string;
  readonly values: unknown;
}

const HITS_MAX = 8;
/** Shorter parts of a word are in no index of trigrams. */
const PART_MIN = 3;
/** Shorter beginnings of a hash name too many transactions. */
const PREFIX_MIN = 6;
/** Of hashes: hexadecimal or Base58. */
const CHARACTERS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

const ADDRESS = `SELECT 'address' AS type, id, display AS title, label, NULL AS status, NULL AS chain_gid, NULL::uuid AS channel_id, created_at
  FROM addresses WHERE project_id = $1`;
const CHANNEL = `SELECT 'channel' AS type, id, name AS title, NULL AS label, CASE WHEN is_archived THEN 'archived' ELSE status END AS status,
  NULL AS chain_gid, NULL::uuid AS channel_id, created_at FROM notification_channels WHERE project_id = $1`;
const TRANSACTION = `SELECT 'transaction' AS type, id, hash AS title, NULL AS label, status, chain_gid, NULL::uuid AS channel_id, detected_at AS created_at
  FROM transactions WHERE project_id = $1`;
const DELIVERY = `SELECT 'delivery' AS type, d.id, d.event_type AS title, c.name AS label, d.status, NULL AS chain_gid, d.channel_id, d.created_at
  FROM deliveries d JOIN notification_channels c ON c.id = d.channel_id AND c.project_id = $1`;

/** What the text names, among what the caller may read. */
async function findHits(sql: Sql, principal: Principal, text: string): Promise<SearchHit[]> {
  const wanted = await listWanted(principal, text);
  const found = await Promise.all(
    wanted.map(({ sql: statement, values }) =>
      sql.query<Omit<SearchHit, 'created_at'> & { created_at: Date }>(`${statement} LIMIT $3`, [
        principal.keyType === 'mgt' ? principal.workspaceId : principal.projectId,
        values,
        HITS_MAX,
      ]),
    ),
  );
  const hits = found.flatMap(({ rows }) => rows);
  const unique = new Map(hits.map((hit) => [`${hit.type} ${hit.id}`, hit]));
  return [...unique.values()].map((hit) => ({ ...hit, created_at: hit.created_at.toISOString() }));
}

async function listWanted(principal: Principal, text: string): Promise<Wanted[]> {
  const may = (permission: Permission) => principal.permissions.includes(permission);
  if (principal.keyType === 'mgt') return may('mgt:audit:read') ? [findChanges(text)] : [];
  if (principal.keyType !== 'api') return [];
  const id = z.uuid().safeParse(text).data;
  return [
    ...(may('api:address:read') ? await findAddresses(text, id) : []),
    ...(may('api:transaction:read') ? findTransactions(text, id) : []),
    ...(may('api:event:read') && id !== undefined ? [findEvent(id)] : []),
    ...(may('api:delivery:read') && id !== undefined ? findDeliveries(id) : []),
    ...(may('api:notification_channel:read') ? findChannels(text, id) : []),
  ];
}

async function findAddresses(text: string, id: string | undefined): Promise<Wanted[]> {
  if (id !== undefined) return [{ sql: `${ADDRESS} AND id = $2`, values: id }];
  const forms = await listCanonicalForms(text);
  return [
    { sql: `${ADDRESS} AND address = ANY ($2)`, values: forms },
    text.length < PART_MIN
      ? { sql: `${ADDRESS} AND label = $2`, values: text }
      : { sql: `${ADDRESS} AND (label ILIKE $2 OR display ILIKE $2)`, values: toPattern(text) },
  ];
}

function findTransactions(text: string, id: string | undefined): Wanted[] {
  if (id !== undefined) return [{ sql: `${TRANSACTION} AND id = $2`, values: id }];
  const texts = [...new Set([text, text.toLowerCase()])];
  return [
    { sql: `${TRANSACTION} AND hash = ANY ($2)`, values: texts },
    ...(text.length < PREFIX_MIN || /\s/.test(text) ? [] : [findByPrefix(texts)]),
  ];
}

/**
 * Transactions whose hash begins so: a range of the unique index (project_id, chain_gid, hash) for each chain. Its end is the
 * prefix with the digit or letter that the database's collation sorts last, more often than a hash is long. `left` decides,
 * because the collation may put other hashes into the range.
 */
export function findByPrefix(texts: readonly string[]): Wanted {
  return {
    sql: `SELECT 'transaction' AS type, t.id, t.hash AS title, NULL AS label, t.status, t.chain_gid, NULL::uuid AS channel_id, t.detected_at AS created_at
      FROM unnest($2::text[]) AS p (prefix)
      CROSS JOIN LATERAL (SELECT max(p.prefix || repeat(c, 100)) AS "end" FROM regexp_split_to_table('${CHARACTERS}', '') AS c) AS e
      CROSS JOIN blockchains b
      CROSS JOIN LATERAL (SELECT * FROM transactions WHERE project_id = $1 AND chain_gid = b.gid
        AND hash >= p.prefix AND hash <= e."end" AND left(hash, length(p.prefix)) = p.prefix
        ORDER BY hash LIMIT ${HITS_MAX}) AS t`,
    values: texts,
  };
}

function findEvent(id: string): Wanted {
  return {
    sql: `SELECT 'event' AS type, e.event_id AS id, e.type AS title, NULL AS label, NULL AS status, e.chain_gid, NULL::uuid AS channel_id, e.created_at
          FROM event_keys k JOIN event_log e ON e.id = k.row_id
          WHERE e.project_id = $1 AND k.event_id = $2 AND NOT e.is_held AND e.created_at >= '${eventHorizon().toISOString()}'`,
    values: id,
  };
}

/** A receiver knows an attempt, by `X-Webhook-Delivery-Id`. */
function findDeliveries(id: string): Wanted[] {
  return [
    { sql: `${DELIVERY} WHERE d.id = $2`, values: id },
    { sql: `${DELIVERY} WHERE d.event_id = $2`, values: id },
    { sql: `${DELIVERY} JOIN delivery_attempts a ON a.delivery_id = d.id WHERE a.id = $2`, values: id },
  ];
}

function findChannels(text: string, id: string | undefined): Wanted[] {
  return [
    id === undefined
      ? { sql: `${CHANNEL} AND name ILIKE $2`, values: toPattern(text) }
      : { sql: `${CHANNEL} AND id = $2`, values: id },
  ];
}

function findChanges(requestId: string): Wanted {
  return {
    sql: `SELECT 'audit_log' AS type, id, action AS title, actor_name AS label, NULL AS status, NULL AS chain_gid, NULL::uuid AS channel_id, created_at
          FROM audit_logs WHERE workspace_id = $1 AND request_id = $2`,
    values: requestId,
  };
}

function toPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
