// SPDX-License-Identifier: Apache-2.0
/**
 * What specs above the adapters share: a database with the schema, fakes of the bus and of a chain's client, a network,
 * channels with their receivers and events, processes of an ingestor.
 * Used by specs and tools only; what depends on nothing of ours is in libs/testing.
 *
 * @example
 * const postgres = await startPostgres();
 * const broker = createFakeBroker();
 */
export { createFakeBroker, type FakeBroker, type FakeMessage } from './create-fake-broker.ts';
export { createFakeClient } from './create-fake-client.ts';
export {
  createDeliveryRows,
  WEBHOOK_SECRET,
  type DeliveryRows,
  type InsertedEvent,
  type SpecEvent,
} from './delivery-rows.ts';
export { findOvertakes, type Seen } from './find-overtakes.ts';
export { lendDatabase, type LentDatabase } from './lend-database.ts';
export { hashOf, NATIVE, network, OTHER_TOKEN, TOKEN } from './local-network.ts';
export { startIngestorRig, type IngestorRig } from './start-ingestor-rig.ts';
export { startPostgres, type PostgresOptions } from './start-postgres.ts';
export { startReceiver, type Receiver } from './start-receiver.ts';
