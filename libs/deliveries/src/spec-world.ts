// SPDX-License-Identifier: Apache-2.0
import { createDatabase } from '@chainwatch/data/db';
import { createDial, createHttpClient } from '@chainwatch/outbound';
import type { PostgresHandle } from '@chainwatch/testing';
import {
  createDeliveryRows,
  startPostgres,
  startReceiver,
  type DeliveryRows,
  type Receiver,
  type SpecEvent,
} from '@chainwatch/data/testing';
import { createDeliveryEngine, type DeliveryEngine } from './create-delivery-engine.ts';
import type { ChannelShares } from './channel-shares.ts';
import type { DeliveryDependencies, DeliveryOptions } from './delivery-options.ts';

type Members = Pick<ChannelShares, 'owns' | 'partitions'>;

/** An engine that owns all channels, without a bus: it is rung as a notifier would do it. */
export interface World extends DeliveryRows {
  /** Commits an event and rings. Returns its id. */
  emit(more?: SpecEvent): Promise<string>;
  start(
    options?: Partial<DeliveryOptions>,
    more?: Partial<DeliveryDependencies>,
    members?: Partial<Members>,
  ): Promise<DeliveryEngine>;
  stop(): Promise<void>;
}

/** A server for a spec file; a database, a receiver and a world for each of its tests. */
export function giveWorlds(
  take: (given: { readonly world: World; readonly receiver: Receiver }) => void,
): void {
  let postgres: PostgresHandle;
  let world: World | undefined;
  let receiver: Receiver | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    [world, receiver] = [await createWorld(await postgres.createDatabase()), await startReceiver()];
    take({ world, receiver });
  });
  afterEach(async () => {
    // Receivers go first, so that a hanging one does not hold up the graceful stop.
    await receiver?.stop();
    await world?.stop();
  });
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function createWorld(databaseUrl: string): Promise<World> {
  const rows = await createDeliveryRows(databaseUrl);
  const started: { readonly engine: DeliveryEngine; readonly stop: () => Promise<void> }[] = [];
  return {
    ...rows,
    async emit(more) {
      const { eventId } = await rows.insertEvent(more);
      for (const { engine } of started) engine.ring();
      return eventId;
    },
    async start(options = {}, more = {}, members = {}) {
      const one = await startOne({ databaseUrl, members }, options, more);
      started.push(one);
      return one.engine;
    },
    async stop() {
      for (const { stop } of started) await stop();
      await rows.db.close();
    },
  };
}

/** An engine with connections of its own. */
async function startOne(
  { databaseUrl, members }: { readonly databaseUrl: string; readonly members: Partial<Members> },
  options: Partial<DeliveryOptions>,
  more: Partial<DeliveryDependencies>,
): Promise<{ engine: DeliveryEngine; stop: () => Promise<void> }> {
  const db = createDatabase({ url: databaseUrl, applicationName: 'deliveries' });
  const dial = createDial({ allow: ['127.0.0.0/8', '::1/128'] });
  const http = createHttpClient({ dial, connectTimeoutMs: 10_000 });
  const engine = createDeliveryEngine(
    {
      db,
      planned: more.db ?? db,
      http,
      dial,
      open: (sealed) => sealed,
      logger: silent,
      userAgent: 'chainwatch-spec',
      ...more,
    },
    options,
    { owns: () => true, partitions: undefined, ...members },
  );
  const stop = async (): Promise<void> => {
    await engine.stop();
    http.close();
    await db.close();
  };
  return { engine, stop };
}
