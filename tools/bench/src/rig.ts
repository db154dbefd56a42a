// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startNats, startRedis } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from '../../db/src/bootstrap.ts';
import { Services, freePort, type ServiceName } from '../../acceptance/src/services.ts';

const LOCAL = 'eip155:31337';
/** What docs/guides/sizing.md asks of a server with 4 GiB. */
const SETTINGS = ['shared_buffers=1GB', 'max_wal_size=4GB'];

/** The servers and services of one bench, durable as in production (commits reach the disk). */
export interface Rig {
  readonly db: Database;
  readonly services: Services;
  readonly projectId: string;
  readonly apiKey: string;
  readonly apiUrl: string;
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  activate(endpointUrl: string): Promise<void>;
  cursorNumber(): Promise<number>;
  /** Adds what the chain says of itself. */
  explain(error: Error): Promise<never>;
  stop(): Promise<void>;
}

export async function startRig(
  names: readonly ServiceName[],
  env: Readonly<Record<string, string>> = {},
  chainGid = LOCAL,
): Promise<Rig> {
  const [postgres, nats, redis, apiPort] = await Promise.all([
    startPostgres({ isOwn: true, settings: SETTINGS }),
    startNats(),
    startRedis(),
    freePort(),
  ]);
  const db = createDatabase({ url: postgres.url, applicationName: 'bench', poolSize: 2 });
  const made = await bootstrap(db, { label: 'svc' });
  const services = new Services({
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    REDIS_URL: redis.url,
    PORT: String(apiPort),
    SECRETS_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    RATE_LIMIT_API: '1000000',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
    ...env,
  });
  const apiUrl = `http://127.0.0.1:${apiPort}/v1`;
  const call = createCaller(apiUrl, made.keys.api);
  await services.start(['api-gateway']);
  return {
    db,
    services,
    projectId: made.projectId,
    apiKey: made.keys.api,
    apiUrl,
    call,
    activate: async (endpointUrl) => {
      await call('POST', '/blockchains', { chain_gid: chainGid });
      const family = chainGid.startsWith('solana:') ? 'solana' : 'evm';
      await call('PATCH', `/blockchains/${chainGid}/${family}`, { endpoint_url: endpointUrl });
      await call('POST', `/blockchains/${chainGid}/actions/activate`);
      await services.start(names);
    },
    cursorNumber: async () =>
      (
        await db.query<{ cursor_number: number | null }>(
          'SELECT cursor_number FROM analyzer_states WHERE chain_gid = $1',
          [chainGid],
        )
      ).rows[0]?.cursor_number ?? -1,
    explain: (error) => explain(error, db, services),
    stop: async () => {
      await services.stop();
      await db.close();
      await Promise.all([nats.stop(), redis.stop(), postgres.stop()]);
    },
  };
}

function createCaller(apiUrl: string, apiKey: string): Rig['call'] {
  return async (method, path, body) => {
    const res = await fetch(apiUrl + path, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!res.ok) throw new Error(`${method} ${path}: ${res.status} ${await res.text()}`);
    return res.status === 204 ? undefined : res.json();
  };
}

async function explain(error: Error, db: Database, services: Services): Promise<never> {
  const { rows } = await db.query(
    'SELECT i.status, i.reason, i.head_number, a.status AS analyzer_status, a.reason AS analyzer_reason, a.cursor_number FROM ingestor_states i LEFT JOIN analyzer_states a USING (chain_gid)',
  );
  throw new Error(`${error.message}: ${JSON.stringify(rows)}\n${services.output.slice(-20).join('\n')}`);
}

/** Registers addresses straight in the database, as an import of a hundred thousand would leave them. */
export async function insertAddresses(
  rig: Rig,
  addresses: readonly string[],
  family: 'evm' | 'solana' = 'evm',
): Promise<void> {
  for (let at = 0; at < addresses.length; at += 10_000) {
    await rig.db.query(
      `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, imported_at)
       SELECT $1, $3, a, a, 'external', $3, now() FROM unnest($2::text[]) AS a`,
      [rig.projectId, addresses.slice(at, at + 10_000), family],
    );
  }
}

export async function waitUntil(
  what: string,
  {
    timeoutMs,
    done,
    everyMs = 5,
  }: { readonly timeoutMs: number; readonly done: () => Promise<boolean>; readonly everyMs?: number },
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
