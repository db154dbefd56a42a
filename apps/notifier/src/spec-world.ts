// SPDX-License-Identifier: Apache-2.0
import { createBus, type Bus } from '@chainwatch/data/bus';
import { createDatabase } from '@chainwatch/data/db';
import type { DeliveryOptions } from '@chainwatch/deliveries';
import { createDial, createHttpClient } from '@chainwatch/outbound';
import { startNats, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { Workers } from '@chainwatch/platform/telemetry';
import {
  createDeliveryRows,
  startPostgres,
  startReceiver,
  type DeliveryRows,
  type InsertedEvent,
  type Receiver,
  type SpecEvent,
} from '@chainwatch/data/testing';
import { startNotifier, type Notifier, type NotifierDependencies } from './start-notifier.ts';

export interface World extends DeliveryRows {
  readonly bus: Bus<'tx-analyzer'>;
  publish(event: InsertedEvent): Promise<void>;
  /** Names its servers to a process of its own. */
  readonly environment: { readonly DATABASE_URL: string; readonly NATS_URL: string };
  /** Commits an event; and publishes it unless told otherwise. Returns the event id. */
  emit(more?: SpecEvent & { readonly isPublished?: boolean }): Promise<string>;
  start(options?: Partial<DeliveryOptions>, more?: Partial<NotifierDependencies>): Promise<Notifier>;
  stop(): Promise<void>;
}

/** Servers for a spec file; a database, a receiver and a world for each of its tests. */
export function giveWorlds(
  take: (given: { readonly world: World; readonly receiver: Receiver }) => void,
): void {
  let servers: readonly [PostgresHandle, NatsHandle];
  let world: World | undefined;
  let receiver: Receiver | undefined;
  beforeAll(async () => {
    servers = await Promise.all([startPostgres(), startNats()]);
  }, 60_000);
  afterAll(() => Promise.all(servers.map((server) => server.stop())));
  beforeEach(async () => {
    const [postgres, nats] = servers;
    [world, receiver] = [await createWorld(await postgres.createDatabase(), nats.url), await startReceiver()];
    take({ world, receiver });
  });
  afterEach(async () => {
    // Receivers go first, so that a hanging one does not hold up the graceful stop.
    await receiver?.stop();
    await world?.stop();
  });
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function createWorld(databaseUrl: string, natsUrl: string): Promise<World> {
  const rows = await createDeliveryRows(databaseUrl);
  const bus = await createBus('tx-analyzer', { url: natsUrl });
  const publish: World['publish'] = ({ kind, type, chainGid, projectId, event, eventId, sequence }) =>
    bus.publish(kind, {
      tokens: [chainGid, projectId],
      payload: event as never,
      messageId: eventId,
      sequence,
      type,
    });
  const stops: (() => Promise<void>)[] = [];
  return {
    ...rows,
    bus,
    environment: { DATABASE_URL: databaseUrl, NATS_URL: natsUrl },
    publish,
    async emit({ isPublished = true, ...more } = {}) {
      const event = await rows.insertEvent(more);
      if (isPublished) await publish(event);
      return event.eventId;
    },
    async start(options = {}, more = {}) {
      const notifier = await startOne({ databaseUrl, natsUrl }, options, more);
      stops.push(notifier.stop);
      return notifier;
    },
    async stop() {
      for (const stop of stops) await stop();
      await bus.close();
      await rows.db.close();
    },
  };
}

/** A notifier with connections of its own. */
async function startOne(
  { databaseUrl, natsUrl }: { readonly databaseUrl: string; readonly natsUrl: string },
  options: Partial<DeliveryOptions>,
  more: Partial<NotifierDependencies>,
): Promise<Notifier> {
  const db = createDatabase({ url: databaseUrl, applicationName: 'notifier' });
  const bus = await createBus('notifier', { url: natsUrl });
  const dial = createDial({ allow: ['127.0.0.0/8', '::1/128'] });
  const http = createHttpClient({ dial, connectTimeoutMs: 10_000 });
  const workers = new Workers({ stalledAfterMs: 0 });
  const notifier = startNotifier({
    db,
    planned: more.db ?? db,
    workers,
    bus,
    http,
    dial,
    open: (sealed) => sealed,
    logger: silent,
    userAgent: 'chainwatch-spec',
    options,
    ...more,
  });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await notifier.stop();
    workers.stop();
    await bus.close();
    http.close();
    await db.close();
  };
  return { ...notifier, stop };
}
