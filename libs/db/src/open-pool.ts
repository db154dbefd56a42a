// SPDX-License-Identifier: Apache-2.0
import type pg from 'pg';
import { ContextPool } from './context-pool.ts';
import { FairPool, type FindOwner } from './fair-pool.ts';
import { StandbyPool } from './standby-pool.ts';
import type { StandbyWatch } from './standby-watch.ts';

export interface PoolKind {
  /** Gives the sessions of the pool to owners in turn. */
  readonly findOwner?: FindOwner;
  /** The URL is a standby's: single statements are read while it proves its age, everything else rejects. */
  readonly standby?: StandbyWatch;
}

export function openPool(settings: pg.PoolConfig, kind: PoolKind): pg.Pool {
  const pool = createPool(settings, kind);
  // An idle client whose server went away: the pool drops it, the next query connects again.
  pool.on('error', () => undefined);
  // The same for one that is checked out, whose next query rejects; without a listener the process would die.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function createPool(settings: pg.PoolConfig, { standby: watch, findOwner }: PoolKind): pg.Pool {
  if (watch !== undefined) return new StandbyPool(settings, { watch, findOwner });
  return findOwner ? new FairPool(settings, findOwner) : new ContextPool(settings);
}
