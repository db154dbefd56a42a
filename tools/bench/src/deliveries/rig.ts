// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { createSealer } from '@chainwatch/platform/secrets';
import { startNats } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { addProject, addProjects, EventSource } from '../../../acceptance/src/deliveries/event-source.ts';
import { Services } from '../../../acceptance/src/services.ts';
import { Sink } from './sink.ts';
import { withoutTimeout } from '../without-timeout.ts';

export const SECRET = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';

/** A notifier with its servers, durable as in production, and receivers. */
export interface DeliveryRig {
  readonly db: Database;
  readonly services: Services;
  readonly source: EventSource;
  readonly sink: Sink;
  /** A project with one channel for each path of the sink. */
  addProjects(paths: readonly string[]): Promise<string[]>;
  /** One project with all of them. */
  addProject(paths: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export async function startDeliveryRig(): Promise<DeliveryRig> {
  const key = randomBytes(32).toString('base64');
  const sealer = createSealer({ keys: { bench: key }, activeKeyId: 'bench' });
  const sink = new Sink();
  const [postgres, nats] = await Promise.all([startPostgres({ isOwn: true }), startNats(), sink.start()]);
  const db = createDatabase({
    url: withoutTimeout(postgres.url),
    applicationName: 'bench',
    poolSize: 3,
    statementTimeoutMs: 300_000,
  });
  const services = new Services({
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    SECRETS_KEYS: `bench:${key}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'error',
    NODE_ENV: 'production',
  });
  const source = await EventSource.open(db, nats.url);
  const toChannel = (path: string) => ({
    url: sink.url + path,
    secretSealed: (id: string) => sealer.seal(SECRET, `webhook_secret:${id}`),
  });
  return {
    db,
    services,
    source,
    sink,
    addProjects: (paths) => addProjects(db, paths.map(toChannel)),
    addProject: (paths) => addProject(db, paths.map(toChannel)),
    async stop() {
      await services.stop();
      await source.close();
      await db.close();
      await Promise.all([sink.stop(), nats.stop(), postgres.stop()]);
    },
  };
}
