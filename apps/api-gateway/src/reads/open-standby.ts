// SPDX-License-Identifier: Apache-2.0
import { createDatabase, StandbyWatch, type Database } from '@chainwatch/data/db';
import { createPrisma, type PrismaClient } from '@chainwatch/data/prisma';
import type { Logger } from '@chainwatch/platform/telemetry';
import { findRequestOwner } from '../server/request-owner.ts';

/** A standby to read lists from, and how long it may be behind. */
export interface Standby {
  readonly db: Database;
  readonly prisma: PrismaClient;
  readonly watch: Pick<StandbyWatch, 'find' | 'untilShown' | 'health'>;
  readonly stalenessMs: number;
}

export interface StandbySettings {
  readonly url: string;
  readonly primaryUrl: string;
  readonly applicationName: string;
  readonly stalenessMs: number;
  readonly isPrepared: boolean;
  /** Sessions for raw SQL, and for Prisma. */
  readonly poolSizes: readonly [raw: number, prisma: number];
  /** Shorter than for the primary, which is asked afterwards. */
  readonly statementTimeoutMs: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Connects in the background: nobody waits for a standby. */
export function openStandby(settings: StandbySettings): Standby & { close(): Promise<void> } {
  const { url, applicationName, stalenessMs, isPrepared, statementTimeoutMs, logger } = settings;
  const [poolSize, prismaPoolSize] = settings.poolSizes;
  const watch = new StandbyWatch({
    ...{ url, primaryUrl: settings.primaryUrl, applicationName, stalenessMs, logger },
  });
  const sessions = {
    ...{ applicationName, statementTimeoutMs, findOwner: findRequestOwner, standby: watch },
  };
  const db = createDatabase({ ...sessions, url, isPrepared, poolSize, logger });
  const prisma = createPrisma(url, { ...sessions, isPrepared, poolSize: prismaPoolSize });
  return {
    ...{ db, prisma, watch, stalenessMs },
    async close() {
      await Promise.all([prisma.$disconnect(), db.close()]);
      await watch.close();
    },
  };
}
