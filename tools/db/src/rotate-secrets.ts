// SPDX-License-Identifier: Apache-2.0
/** `tsx tools/db/src/rotate-secrets.ts`: seals everything in DATABASE_URL anew under the first key of SECRETS_KEYS. */
import { fileURLToPath } from 'node:url';
import { createDatabase } from '@chainwatch/data/db';
import type { Sql } from '@chainwatch/data/db';
import { createSealer, parseSecretsKeys, SealedValueError } from '@chainwatch/platform/secrets';
import type { Sealer } from '@chainwatch/platform/secrets';
import { readDatabaseUrl } from './read-database-url.ts';
import { runTool } from './run-tool.ts';

interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  /** The context of a value is this, a colon and the row's key. */
  readonly context: string;
}

export interface Rotation {
  readonly resealed: number;
  /** Sealed by a key that is not there, or damaged: `table.column key`. */
  readonly unreadable: readonly string[];
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhook_secrets', key: 'id', column: 'secret_sealed', context: 'webhook_secret' },
  { table: 'notification_channels', key: 'id', column: 'credentials_sealed', context: 'channel' },
  { table: 'blockchains', key: 'gid', column: 'endpoint_sealed', context: 'endpoint' },
  { table: 'chain_endpoints', key: 'id', column: 'url_sealed', context: 'chain_endpoint' },
];

/** Values by name: the context of each is its name, this, a colon and the row's key. */
export const SEALED_MAP = { table: 'blockchains', column: 'other_endpoints_sealed', context: 'endpoint' };

const BATCH = 500;

/**
 * Seals anew what another key sealed. The services go on meanwhile: a value is replaced only if it is still the one that
 * was read. Run twice it does nothing the second time; ended half-way it goes on where it was.
 */
export async function rotateSecrets(db: Sql, sealer: Sealer): Promise<Rotation> {
  const total = { resealed: 0, unreadable: [] as string[] };
  for (const column of SEALED_COLUMNS) {
    for (let after: string | null = ''; after !== null; )
      after = await rotateBatch(db, { sealer, sealed: column, after, total });
  }
  await rotateMap(db, sealer, total);
  return total;
}

/** One page by key; the key to go on after, null at the end. */
async function rotateBatch(
  db: Sql,
  {
    sealer,
    sealed: { table, key, column, context },
    after,
    total,
  }: {
    readonly sealer: Sealer;
    readonly sealed: SealedColumn;
    readonly after: string;
    readonly total: { resealed: number; unreadable: string[] };
  },
): Promise<string | null> {
  const { rows } = await db.query<{ key: string; sealed: string }>(
    `SELECT ${key}::text AS key, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL AND ${key}::text > $1 ORDER BY ${key}::text LIMIT ${BATCH}`,
    [after],
  );
  const changes = rows.flatMap((row) => {
    const resealed = tryReseal(sealer, row.sealed, `${context}:${row.key}`);
    if (resealed === undefined) total.unreadable.push(`${table}.${column} ${row.key}`);
    return resealed === undefined || resealed === row.sealed ? [] : [{ ...row, resealed }];
  });
  const { rowCount } = await db.query(
    `UPDATE ${table} t SET ${column} = u.resealed FROM unnest($1::text[], $2::text[], $3::text[]) AS u (key, sealed, resealed)
     WHERE t.${key}::text = u.key AND t.${column} = u.sealed`,
    [
      changes.map((change) => change.key),
      changes.map(({ sealed }) => sealed),
      changes.map(({ resealed }) => resealed),
    ],
  );
  total.resealed += rowCount ?? 0;
  return rows.length < BATCH ? null : rows.at(-1)!.key;
}

/** Chains are few: one by one. */
async function rotateMap(
  db: Sql,
  sealer: Sealer,
  total: { resealed: number; unreadable: string[] },
): Promise<void> {
  const { table, column, context } = SEALED_MAP;
  const { rows } = await db.query<{ gid: string; name: string; sealed: string }>(
    `SELECT t.gid, e.key AS name, e.value AS sealed FROM ${table} t, jsonb_each_text(t.${column}) e`,
  );
  for (const { gid, name, sealed } of rows) {
    const resealed = tryReseal(sealer, sealed, `${name}_${context}:${gid}`);
    if (resealed === undefined) total.unreadable.push(`${table}.${column} ${gid} ${name}`);
    if (resealed === undefined || resealed === sealed) continue;
    const { rowCount } = await db.query(
      `UPDATE ${table} SET ${column} = jsonb_set(${column}, ARRAY[$2], to_jsonb($3::text)) WHERE gid = $1 AND ${column} ->> $2 = $4`,
      [gid, name, resealed, sealed],
    );
    total.resealed += rowCount ?? 0;
  }
}

/** The value itself when the active key sealed it; undefined when it cannot be opened. */
function tryReseal(sealer: Sealer, sealed: string, context: string): string | undefined {
  try {
    return sealer.needsRotation(sealed) ? sealer.reseal(sealed, context) : sealed;
  } catch (error) {
    if (error instanceof SealedValueError) return undefined;
    throw error;
  }
}

async function main(): Promise<void> {
  const { SECRETS_KEYS } = process.env;
  if (!SECRETS_KEYS)
    throw new Error('Set SECRETS_KEYS as the services have it, the new key first: kid:base64,kid:base64.');
  const db = createDatabase({ url: readDatabaseUrl(), applicationName: 'rotate-secrets', poolSize: 1 });
  try {
    const rotation = await rotateSecrets(db, createSealer(parseSecretsKeys(SECRETS_KEYS)));
    console.log(JSON.stringify(rotation));
    if (rotation.unreadable.length > 0) process.exitCode = 1;
  } finally {
    await db.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool({}, main);
}
