// SPDX-License-Identifier: Apache-2.0
// cspell:ignore relnamespace regnamespace relkind userbyid setval schemaname sequencename
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPgBouncer } from './start-pgbouncer.ts';
import { startPostgresServer, type PostgresServerHandle } from './start-postgres-server.ts';
import { waitFor } from './wait-for.ts';

const PRISMA = fileURLToPath(new URL('../../../prisma', import.meta.url));
const OBJECT_IN_USE = '55006';

export interface PostgresHandle {
  /** Of a fresh database. */
  readonly url: string;
  /** How a service is told of it: through a PgBouncer of its own where TEST_PGBOUNCER is set. */
  readonly serviceEnv: Readonly<Record<string, string>>;
  /** The server itself; absent where a shared one is used, which no spec may stop. */
  readonly server?: PostgresServerHandle;
  /** Another fresh database on the same server. */
  createDatabase(): Promise<string>;
  /** Makes the database of this session or pool as it was when it was fresh. */
  empty(sql: Pick<pg.ClientBase, 'query'>): Promise<void>;
  /** Drops the databases; the server too when it is an own one. */
  stop(): Promise<void>;
}

/** `applyMigrations` of libs/data/src/db, which this package is below of. */
export type Migrate = (url: string, dir: string) => Promise<unknown>;

export interface PostgresOptions {
  /** A server of its own, to be killed and restarted. Default: the one of TEST_DATABASE_URL where that is set. */
  readonly isOwn?: boolean;
  /** False skips the flushes to disk. Default true for an own server. */
  readonly isDurable?: boolean;
  /** Of an own server, `name=value`. */
  readonly settings?: readonly string[];
  /** Makes the schema in the template from the folder prisma; without it the database is empty. */
  readonly migrate?: Migrate;
}

/** A fresh database, with the schema copied from a template that is made once per server. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresHandle> {
  const sharedUrl = options.isOwn === true ? undefined : process.env.TEST_DATABASE_URL || undefined;
  const server =
    sharedUrl === undefined
      ? await startPostgresServer({ isDurable: options.isDurable, settings: options.settings })
      : undefined;
  const serverUrl = sharedUrl ?? server?.url ?? '';
  const template =
    options.migrate === undefined ? 'template0' : await ensureTemplate(serverUrl, options.migrate);
  const names: string[] = [];
  const createDatabase = async (): Promise<string> => {
    const name = `test_${randomBytes(8).toString('hex')}`;
    await copyDatabase(serverUrl, template, name);
    names.push(name);
    return databaseUrl(serverUrl, name);
  };
  const url = await createDatabase();
  const pooler = process.env.TEST_PGBOUNCER ? await startPgBouncer(serverUrl) : undefined;
  return {
    url,
    serviceEnv:
      pooler === undefined ? { DATABASE_URL: url } : { DATABASE_URL: pooler.urlOf(url), DB_PREPARED: 'off' },
    server,
    createDatabase,
    empty,
    async stop() {
      await pooler?.stop();
      if (server === undefined) await withClient(serverUrl, (client) => dropAll(client, names));
      else await server.stop();
    },
  };
}

/** Marked as a template when complete: an interrupted one is made again. */
async function ensureTemplate(serverUrl: string, migrate: Migrate): Promise<string> {
  const name = `chainwatch_template_${hashMigrations()}`;
  await withClient(serverUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rows } = await client.query<{ datistemplate: boolean }>(
      'SELECT datistemplate FROM pg_database WHERE datname = $1',
      [name],
    );
    if (rows[0]?.datistemplate === true) return;
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
    await migrate(databaseUrl(serverUrl, name), PRISMA);
    await beginDay(databaseUrl(serverUrl, name));
    await client.query(`ALTER DATABASE ${name} IS_TEMPLATE true`);
  });
  return name;
}

function hashMigrations(): string {
  const hash = createHash('sha256');
  for (const folder of ['migrations', 'sql']) {
    const files = readdirSync(join(PRISMA, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort()) hash.update(file.slice(PRISMA.length)).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

/** A session of the template that is just ending is waited for. */
async function copyDatabase(serverUrl: string, template: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const result = await waitFor(
      async () => {
        try {
          // Without a server that flushes to disk, files are copied for a third of what logging their blocks costs.
          await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
          return 'made';
        } catch (error) {
          if ((error as { code?: string }).code === OBJECT_IN_USE) return undefined;
          return { error };
        }
      },
      { message: `the template ${template} to be free` },
    );
    if (result !== 'made') throw result.error;
    await copySettings(client, template, name);
  });
}

/** The settings of roles in a database do not come with its copy. */
async function copySettings(client: pg.Client, template: string, name: string): Promise<void> {
  await client.query(`DO $$ DECLARE found record; BEGIN
    FOR found IN SELECT pg_get_userbyid(s.setrole) AS role, split_part(c, '=', 1) AS setting, substr(c, strpos(c, '=') + 1) AS value
      FROM pg_db_role_setting s CROSS JOIN unnest(s.setconfig) AS c
      WHERE s.setrole <> 0 AND s.setdatabase = (SELECT oid FROM pg_database WHERE datname = '${template}') LOOP
      EXECUTE format('ALTER ROLE %I IN DATABASE %I SET %I = %L', found.role, '${name}', found.setting, found.value);
    END LOOP;
  END $$`);
}

/** Rows of the schema itself stay: what the template has. Sequences start anew. */
async function empty(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(`DO $$ DECLARE found regclass; BEGIN
    PERFORM setval(format('%I.%I', schemaname, sequencename), start_value, false) FROM pg_sequences WHERE last_value IS NOT NULL;
    SET LOCAL session_replication_role = replica;
    FOR found IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0
      AND relname <> ALL (ARRAY['_prisma_migrations', '_sql_functions', 'event_partitions']) LOOP
      EXECUTE format('DELETE FROM ONLY %s', found);
    END LOOP;
  END $$`);
}

async function dropAll(client: pg.Client, names: readonly string[]): Promise<void> {
  for (const name of names) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** As on an ordinary day: new events go to a partition made for them, not to the one of before the partitions. */
function beginDay(url: string): Promise<unknown> {
  return withClient(url, (client) =>
    client.query('SELECT add_event_partition(); SELECT begin_event_partition(now())'),
  );
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // A server that a spec kills meanwhile; the query under way rejects by itself.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
