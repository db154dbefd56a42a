// SPDX-License-Identifier: Apache-2.0
import { AsyncResource } from 'node:async_hooks';
import { isTracing } from '@chainwatch/platform/telemetry';
import pg from 'pg';

export type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/** A pool that runs a statement in the trace of who asked for it, although who waits for a session gets it from another. */
export class ContextPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    if (callback === undefined) return super.connect();
    super.connect(isTracing() ? AsyncResource.bind(callback) : callback);
  }
}
