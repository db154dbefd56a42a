// SPDX-License-Identifier: Apache-2.0
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from './generated/client.ts';
import { openPool, type PoolKind } from './open-pool.ts';
import { observePool } from './observe-pool.ts';
import { createClientClass } from './observed-client.ts';
import { KEEP_ALIVE } from './session-settings.ts';

export type { Prisma, PrismaClient } from './generated/client.ts';

/**
 * The Prisma client, for services that are not on the hot path. It has its own pool and connects on first use.
 * It names no statement, so that PgBouncer may pool by transaction. Amounts (`numeric(78, 0)`) come as Decimal: read them with `toFixed()`, heights come as bigint.
 */
export function createPrisma(
  url: string,
  options: {
    poolSize?: number;
    applicationName?: string;
    statementTimeoutMs?: number;
    /** As DatabaseOptions.isPrepared. Prisma names no statement; whoever reads a standby names one beside its own. */
    isPrepared?: boolean;
  } & PoolKind = {},
): PrismaClient {
  const poolName = options.standby ? 'standby_prisma' : 'prisma';
  const settings = {
    connectionString: url,
    max: options.poolSize ?? 5,
    application_name: options.applicationName,
    connectionTimeoutMillis: 5_000,
    ...KEEP_ALIVE,
    query_timeout: options.statementTimeoutMs ?? 35_000,
    Client: createClientClass({ pool: poolName, isPrepared: options.isPrepared !== false }),
    ...(options.standby && { pipeline: true }),
  } as pg.PoolConfig;
  const pool = openPool(settings, options);
  observePool(pool, poolName);
  return new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
}
