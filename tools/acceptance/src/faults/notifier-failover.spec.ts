// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { createSealer } from '@chainwatch/platform/secrets';
import { startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { addProjects, EventSource, type MadeEvent } from '../deliveries/event-source.ts';
import { Receiver } from '../receiver.ts';
import { Services } from '../services.ts';
import { holdLock } from './hold-lock.ts';

const CHANNELS = 32;
const SECRET = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';
/** More than the 10 s in which a dead owner's channels move: a slow machine fails nothing, a channel that stays fails. */
const TAKE_OVER_MS = 30_000;

let postgres: PostgresHandle;
let nats: NatsHandle;
let db: Database;
let services: Services;
let source: EventSource;
let projectIds: string[];
const receiver = new Receiver();

beforeAll(async () => {
  const key = randomBytes(32).toString('base64');
  const sealer = createSealer({ keys: { test: key }, activeKeyId: 'test' });
  [postgres, nats] = await Promise.all([startPostgres(), startNats(), receiver.start()]);
  db = createDatabase({ url: postgres.url, applicationName: 'acceptance', poolSize: 3 });
  services = new Services({
    ...postgres.serviceEnv,
    NATS_URL: nats.url,
    SECRETS_KEYS: `test:${key}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
  });
  source = await EventSource.open(db, nats.url);
  // So many that each of two has some.
  projectIds = await addProjects(
    db,
    Array.from({ length: CHANNELS }, () => ({
      url: receiver.url,
      secretSealed: (id: string) => sealer.seal(SECRET, `webhook_secret:${id}`),
    })),
  );
  for (const projectId of projectIds) receiver.secrets.set(projectId, SECRET);
  await services.start(['notifier', 'notifier-2']);
});
afterAll(async () => {
  await services.stop();
  await source.close();
  await db.close();
  await Promise.all([receiver.stop(), nats.stop(), postgres.stop()]);
});

/** One event for each channel. */
async function tellAll(): Promise<MadeEvent[]> {
  const made = await source.commit(projectIds, CHANNELS);
  await Promise.all(made.map((event) => source.publish(event)));
  return made;
}

const receive = (made: readonly MadeEvent[]): Promise<unknown> =>
  waitFor(() => made.every(({ eventId }) => receiver.events.has(eventId)), {
    timeoutMs: TAKE_OVER_MS,
    message: () =>
      `events of ${CHANNELS} channels, ${made.filter(({ eventId }) => !receiver.events.has(eventId)).length} are missing`,
  });

const countDeliveries = (made: readonly MadeEvent[]): number =>
  made.reduce((count, { eventId }) => count + (receiver.events.get(eventId)?.deliveryIds.length ?? 0), 0);

describe('a notifier that is stopped', () => {
  it('with nothing to do leaves its channels to the other one within 10 s; when it goes on, nothing comes twice', async () => {
    await receive(await tellAll());
    services.signal('notifier', 'SIGSTOP');
    const made = await tellAll();
    await receive(made);
    services.signal('notifier', 'SIGCONT');
    const later = await tellAll();
    await receive(later);
    expect([countDeliveries(made), countDeliveries(later), receiver.faults]).toEqual([
      CHANNELS,
      CHANNELS,
      [],
    ]);
  });

  it('in the middle of what it writes holds up nobody, and what it had taken goes out within 10 s', async () => {
    const lock = await holdLock(postgres.url, 'SELECT 1 FROM notification_channels FOR UPDATE', []);
    const made = await tellAll();
    await lock.waitForWaiter('notifier');
    services.signal('notifier', 'SIGSTOP');
    await lock.release();
    await receive(made);
    services.signal('notifier', 'SIGCONT');
    const later = await tellAll();
    await receive(later);
    expect([countDeliveries(later), receiver.faults]).toEqual([CHANNELS, []]);
  });
});
