// SPDX-License-Identifier: Apache-2.0
/**
 * `tsx tools/db/src/list-lost-writes.ts`: what was written through the API in LOST_DATABASE_URL, and is not in DATABASE_URL,
 * which was restored to an earlier moment. A line of JSON for each record.
 */
import { fileURLToPath } from 'node:url';
import { createDatabase } from '@chainwatch/data/db';
import type { Sql } from '@chainwatch/data/db';
import { readDatabaseUrl } from './read-database-url.ts';
import { runTool } from './run-tool.ts';

interface WrittenTable {
  readonly table: string;
  /** Unique, in this order. */
  readonly key: readonly string[];
  /** What the API sets, and may be shown. */
  readonly shown: readonly string[];
  /** What the API sets, and is compared alone. */
  readonly hidden?: readonly string[];
}

export interface LostWrite {
  readonly table: string;
  readonly key: string;
  /** `created`: it is gone. `changed`: it is what it was before. `deleted`: it is there again. */
  readonly write: 'created' | 'changed' | 'deleted';
  /** As it was after the write; of a deleted one, as it is again. */
  readonly record: unknown;
}

/** What the API writes. Everything else follows from the chains. */
export const WRITTEN_TABLES: readonly WrittenTable[] = [
  { table: 'workspaces', key: ['id'], shown: ['name'] },
  {
    table: 'workspace_quotas',
    key: ['workspace_id'],
    shown: ['addresses', 'channels', 'streams', 'keys', 'portal_sessions', 'projects', 'members'],
  },
  { table: 'projects', key: ['id'], shown: ['workspace_id', 'name'] },
  { table: 'members', key: ['id'], shown: ['workspace_id', 'email', 'role'] },
  {
    table: 'api_keys',
    key: ['id'],
    shown: [
      'type',
      'workspace_id',
      'project_id',
      'name',
      'mask',
      'permissions',
      'expires_at',
      'revoked_at',
      'replaced_by',
    ],
  },
  {
    table: 'blockchains',
    key: ['gid'],
    shown: ['is_active', 'start_block'],
    hidden: ['endpoint_sealed', 'other_endpoints_sealed'],
  },
  {
    table: 'chain_endpoints',
    key: ['id'],
    shown: ['chain_gid', 'url_shown', 'weight'],
    hidden: ['url_sealed'],
  },
  { table: 'confirmation_policies', key: ['project_id', 'chain_gid'], shown: ['depth'] },
  { table: 'project_assets', key: ['project_id', 'asset_gid'], shown: ['archived_at'] },
  {
    table: 'public_keys',
    key: ['id'],
    shown: ['project_id', 'label', 'fingerprint', 'derivation_path', 'chain_gid', 'gap_limit'],
  },
  {
    table: 'addresses',
    key: ['id'],
    shown: ['project_id', 'chain_family', 'address', 'kind', 'label', 'metadata', 'is_monitored'],
  },
  {
    table: 'notification_channels',
    key: ['id'],
    shown: ['project_id', 'kind', 'name', 'config', 'is_archived'],
    hidden: ['credentials_sealed'],
  },
  { table: 'webhook_secrets', key: ['id'], shown: ['channel_id', 'mask', 'state', 'expires_at'] },
  {
    table: 'audit_logs',
    key: ['id'],
    shown: ['workspace_id', 'actor_name', 'action', 'target_id', 'changes', 'request_id', 'created_at'],
  },
];

const PAGE = 10_000;

interface Row {
  readonly key: string;
  /** The members of the key. */
  readonly at: readonly string[];
  /** JSON of what is shown. */
  readonly record: string;
  readonly hidden: string | null;
}

/** Walks through both databases in the order of the keys. */
export async function* listLostWrites(restored: Sql, lost: Sql): AsyncGenerator<LostWrite> {
  for (const table of WRITTEN_TABLES) {
    const [now, then] = [readRows(restored, table), readRows(lost, table)];
    let [a, b] = [await now.next(), await then.next()];
    while (a.done !== true || b.done !== true) {
      const [inRestored, inLost] = [
        a.done === true ? undefined : a.value,
        b.done === true ? undefined : b.value,
      ];
      const order =
        inRestored === undefined ? 1 : inLost === undefined ? -1 : compare(inRestored.key, inLost.key);
      const write =
        order < 0 ? 'deleted' : order > 0 ? 'created' : isSame(inRestored!, inLost!) ? undefined : 'changed';
      const row = order < 0 ? inRestored! : inLost!;
      if (write !== undefined)
        yield { table: table.table, key: row.key, write, record: JSON.parse(row.record) as unknown };
      if (order <= 0) a = await now.next();
      if (order >= 0) b = await then.next();
    }
  }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const isSame = (one: Row, other: Row): boolean => one.record === other.record && one.hidden === other.hidden;

async function* readRows(sql: Sql, { table, key, shown, hidden = [] }: WrittenTable): AsyncGenerator<Row> {
  // Ids sort as their texts do; texts by their bytes, as here.
  const columns = key.map((name) => (name.endsWith('gid') ? `${name} COLLATE "C"` : name));
  const types = key.map((name) => (name.endsWith('gid') ? 'text' : 'uuid'));
  let after: readonly string[] | undefined;
  do {
    const { rows } = await sql.query<Row>(
      `SELECT concat_ws(' ', ${key.join()}) AS key, ARRAY[${key.map((name) => `${name}::text`).join()}] AS at,
         jsonb_build_object(${shown.map((name) => `'${name}', ${name}`).join()})::text AS record,
         ${hidden.length === 0 ? 'NULL' : `md5(concat_ws(' ', ${hidden.join()}))`} AS hidden
       FROM ${table}
       ${after === undefined ? '' : `WHERE (${columns.join()}) > (${types.map((type, at) => `$${at + 1}::${type}`).join()})`}
       ORDER BY ${columns.join()} LIMIT ${PAGE}`,
      [...(after ?? [])],
    );
    yield* rows;
    after = rows.length < PAGE ? undefined : rows.at(-1)!.at;
  } while (after !== undefined);
}

async function main(): Promise<void> {
  const { LOST_DATABASE_URL } = process.env;
  if (!LOST_DATABASE_URL)
    throw new Error(
      'Set LOST_DATABASE_URL to the database as it was last, and DATABASE_URL to the restored one.',
    );
  const options = { applicationName: 'list-lost-writes', poolSize: 1 };
  const restored = createDatabase({ ...options, url: readDatabaseUrl() });
  const lost = createDatabase({ ...options, url: LOST_DATABASE_URL });
  try {
    for await (const write of listLostWrites(restored, lost)) console.log(JSON.stringify(write));
  } finally {
    await Promise.all([restored.close(), lost.close()]);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool({}, main);
}
