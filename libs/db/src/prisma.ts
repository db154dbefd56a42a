import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';
import { describeSession, KEEP_ALIVE } from './session-settings.ts';

export type { Prisma, PrismaClient } from './generated/client.ts';

/**
 * The Prisma client, for services that are not on the hot path. It has its own pool and connects on first use.
 * Amounts (`numeric(78, 0)`) come as Decimal: read them with `toFixed()`, heights come as bigint.
 */
export function createPrisma(
  url: string,
  options: { poolSize?: number; applicationName?: string; statementTimeoutMs?: number } = {},
): PrismaClient {
  const adapter = new PrismaPg({
    connectionString: url,
    max: options.poolSize ?? 5,
    application_name: options.applicationName,
    options: describeSession(),
    connectionTimeoutMillis: 5_000,
    ...KEEP_ALIVE,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    query_timeout: (options.statementTimeoutMs ?? 30_000) + 5_000,
  });
  return new PrismaClient({ adapter });
}
