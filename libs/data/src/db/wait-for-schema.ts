// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { notOk, startHealthServer, type Logger } from '@chainwatch/platform/telemetry';
import type { Sql } from './database.ts';
import { findSchemaFault, readMigrationNames } from './find-schema-fault.ts';
import { SchemaBehindError } from './migration-errors.ts';

export interface SchemaWaitOptions {
  readonly db: Sql;
  readonly waitMs: number;
  /** Where /readyz says meanwhile what is missing. Undefined: nowhere. */
  readonly health?: { readonly port: number; readonly host?: string };
  readonly logger?: Pick<Logger, 'info' | 'warn'>;
  /** Default: those of this release. */
  readonly migrationNames?: readonly string[];
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

const LOOK_MS = 1_000;

/**
 * Resolves when the database has every migration of this release. A service that began before would answer each
 * request with an error and still take the place of one that works.
 * @throws SchemaBehindError after `waitMs`; ServerRefusedError; what the signal was aborted with
 */
export async function waitForSchema(options: SchemaWaitOptions): Promise<void> {
  const { db, waitMs, health: address, logger, migrationNames = readMigrationNames(), signal } = options;
  const deadline = Date.now() + waitMs;
  let fault = await findSchemaFault(db, migrationNames);
  if (fault === undefined) return;
  logger?.warn({ wait_ms: waitMs }, `the schema was waited for: ${fault}`);
  const health =
    address && (await startHealthServer({ ...address, checks: () => ({ schema: notOk(fault ?? '') }) }));
  try {
    for (; fault !== undefined; fault = await findSchemaFault(db, migrationNames)) {
      if (Date.now() >= deadline) throw new SchemaBehindError(fault, waitMs);
      await delay(Math.max(Math.min(LOOK_MS, deadline - Date.now()), 0), undefined, { signal });
    }
  } finally {
    await health?.stop();
  }
  logger?.info({}, 'the schema was found up to date');
}
