// SPDX-License-Identifier: Apache-2.0
import { applyMigrations } from '../db/index.ts';
import { closeSpares } from './lend-database.ts';
import { startPostgres as startServer, type PostgresHandle } from '@chainwatch/testing';

export interface PostgresOptions {
  /** A server of its own, to be killed and restarted. Default: the one of TEST_DATABASE_URL where that is set. */
  readonly isOwn?: boolean;
  /** False skips the flushes to disk. Default true for an own server. */
  readonly isDurable?: boolean;
  /** Of an own server, `name=value`. */
  readonly settings?: readonly string[];
  /** False leaves the database empty. Default true. */
  readonly isMigrated?: boolean;
}

/** A fresh database with the schema in it. */
export async function startPostgres({
  isMigrated = true,
  ...options
}: PostgresOptions = {}): Promise<PostgresHandle> {
  const server = await startServer({ ...options, migrate: isMigrated ? applyMigrations : undefined });
  const handle: PostgresHandle = {
    ...server,
    async stop() {
      await closeSpares(handle);
      await server.stop();
    },
  };
  return handle;
}
