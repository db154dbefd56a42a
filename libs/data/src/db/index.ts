// SPDX-License-Identifier: Apache-2.0
/**
 * PostgreSQL, the truth: a pool for raw SQL on the hot paths, and the Prisma client
 * for everything else. Used by every service.
 *
 * @example
 * const db = createDatabase({ url: config.DATABASE_URL, applicationName: 'tx-analyzer' });
 * await db.transaction(async (sql) => { … });
 */
export { adoptRestoredRows } from './adopt-restored-rows.ts';
export * from './balance-rounds.ts';
export * from './database.ts';
export { findPrismaDir, waitForSchema } from './wait-for-schema.ts';
export { LATENCY_BOUNDS_MS, latencyBucketOf } from './latency-bounds.ts';
export * from './migrate.ts';
export * from './migration-errors.ts';
export { MORE_ENDPOINTS, readActiveChains } from './read-active-chains.ts';
export { StandbyWatch } from './standby-watch.ts';
