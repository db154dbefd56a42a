/**
 * PostgreSQL, the truth: a pool for raw SQL on the hot paths, the fencing tokens of invariant 2, and the Prisma client
 * for everything else. Used by every service.
 *
 * @example
 * const db = createDatabase({ url: config.DATABASE_URL, applicationName: 'tx-analyzer' });
 * await db.transaction(async (sql) => { await lockWithToken(sql, 'analyzer_states', gid, token); … });
 */
export { adoptRestoredRows } from './adopt-restored-rows.ts';
export * from './database.ts';
export * from './fencing.ts';
export * from './migrate.ts';
export * from './migration-errors.ts';
export { readActiveChains } from './read-active-chains.ts';
export { takeRow } from './take-row.ts';
