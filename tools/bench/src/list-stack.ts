// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey, permissionsOf, type ApiKeyType } from '@chainwatch/common/api-key';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startNats, startRedis } from '@chainwatch/testing';
import { Services, freePort } from '../../acceptance/src/services.ts';
import type { ListCase } from './list-cases.ts';
import type { ListScale } from './list-data.ts';
import { openListDatabase } from './list-database.ts';
import { withoutTimeout } from './without-timeout.ts';

interface Projects {
  readonly largest: string;
  readonly middle: string;
}

/** The API gateway in front of a filled database. */
export interface ListStack {
  readonly db: Database;
  readonly port: number;
  readonly services: Services;
  /** Of the gateway and the database. */
  readonly pids: readonly number[];
  readonly projects: Projects;
  readonly keys: Readonly<Record<ListCase['key'], string>>;
  stop(): Promise<void>;
}

/** @param directory of the database, which is kept there */
export async function startListStack(directory: string, scale: ListScale): Promise<ListStack> {
  const database = await openListDatabase(directory, scale);
  const db = createDatabase({
    url: withoutTimeout(database.url),
    applicationName: 'bench',
    poolSize: 2,
    statementTimeoutMs: 600_000,
  });
  const [nats, redis, port] = await Promise.all([startNats(), startRedis(), freePort()]);
  const services = new Services({
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    REDIS_URL: redis.url,
    PORT: String(port),
    SECRETS_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    RATE_LIMIT_API: '1000000',
    RATE_LIMIT_MANAGEMENT: '1000000',
    RATE_LIMIT_PUBLIC: '1000000',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
  });
  const stop = async (): Promise<void> => {
    await services.stop();
    await db.close();
    await Promise.all([nats.stop(), redis.stop()]);
    await database.stop();
  };
  try {
    await services.start(['api-gateway']);
    const projects = await findProjects(db);
    const keys = await makeKeys(db, projects);
    const pids = [services.pid('api-gateway')!, database.pid];
    return { db, port, services, pids, projects, keys, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findProjects(db: Database): Promise<Projects> {
  const { rows } = await db.query<{ id: string }>('SELECT id FROM bench_projects ORDER BY no');
  return { largest: rows[0]!.id, middle: rows[Math.floor(rows.length / 2)]!.id };
}

async function makeKeys(db: Database, projects: Projects): Promise<Record<ListCase['key'], string>> {
  await db.query(`DELETE FROM api_keys WHERE name = 'bench lists'`);
  const make = async (type: ApiKeyType, projectId: string | null): Promise<string> => {
    const key = generateApiKey({ label: 'svc', type, randomBytes });
    await db.query(
      `INSERT INTO api_keys (type, workspace_id, project_id, name, mask, key_hash, permissions) SELECT $1, id, $2, 'bench lists', 'svc', $3, $4 FROM workspaces ORDER BY created_at LIMIT 1`,
      [type, projectId, Buffer.from(hashApiKey(key)), permissionsOf(type, ['evm'])],
    );
    return key;
  };
  return {
    largest: await make('api', projects.largest),
    middle: await make('api', projects.middle),
    management: await make('mgt', null),
  };
}
