// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startNats } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { freePort, Services } from './services.ts';

/** The API and what delivers, without a chain: for clients of the API. */
export interface ApiStack {
  readonly apiUrl: string;
  readonly postgresUrl: string;
  readonly db: Database;
  readonly services: Services;
  stop(): Promise<void>;
}

/** @param env of the services, besides what all clients need */
export async function startApiStack(env: Readonly<Record<string, string>>): Promise<ApiStack> {
  const [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
  const db = createDatabase({ url: postgres.url, applicationName: 'acceptance', poolSize: 3 });
  const port = await freePort();
  const services = new Services({
    ...postgres.serviceEnv,
    NATS_URL: nats.url,
    PORT: String(port),
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    LOG_LEVEL: 'warn',
    ...env,
  });
  await services.start(['api-gateway', 'notifier']);
  return {
    apiUrl: `http://127.0.0.1:${port}/v1`,
    postgresUrl: postgres.url,
    db,
    services,
    async stop() {
      await services.stop();
      await db.close();
      await Promise.all([nats.stop(), postgres.stop()]);
    },
  };
}
