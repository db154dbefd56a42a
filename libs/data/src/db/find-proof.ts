// SPDX-License-Identifier: Apache-2.0
/** What the primary said of itself. Positions are bytes of its WAL. */
export interface Sample {
  /** Just before it was asked, by `performance.now()`. */
  readonly atMs: number;
  /** When it was asked, by its own clock. */
  readonly at: Date;
  /** Everything that was committed by then lies below. */
  readonly position: number;
  readonly timeline: number;
  /** Which installation of PostgreSQL, its standbys included. */
  readonly system: string;
}

/** What the server of the standby's URL said of itself. */
export interface StandbyState {
  readonly isInRecovery: boolean;
  /** Everything below is shown. */
  readonly position: number | null;
  readonly timeline: number;
  readonly system: string;
  /** When it was started: names this run of this server. */
  readonly server: string;
}

/** Asked of the primary. Public functions: the role of the services needs no rights of a monitor. */
export const SAMPLE_PRIMARY = `
  SELECT statement_timestamp() AS at, (pg_current_wal_insert_lsn() - '0/0')::float8 AS position,
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int AS timeline,
    (SELECT system_identifier::text FROM pg_control_system()) AS system`;

/** Names a run of a server; also asked with every read. */
export const SERVER = 'extract(epoch FROM pg_postmaster_start_time())::text';

/** Asked of the standby. Its control file learns of a new timeline late, with a checkpoint at the latest. */
export const SAMPLE_STANDBY = `
  SELECT pg_is_in_recovery() AS "isInRecovery", (pg_last_wal_replay_lsn() - '0/0')::float8 AS position,
    greatest((SELECT timeline_id FROM pg_control_checkpoint()), (SELECT min_recovery_end_timeline FROM pg_control_recovery())) AS timeline,
    (SELECT system_identifier::text FROM pg_control_system()) AS system, ${SERVER} AS server`;

export type Finding =
  /** Everything that was committed before is shown. */
  | { readonly type: 'shown'; readonly sample: Sample }
  /** It has not replayed what any of the samples had. */
  | { readonly type: 'behind' }
  | { readonly type: 'wrong'; readonly reason: string };

/**
 * Since when a standby shows everything, by what the primary had at known times. No clock of a server decides, nor what the
 * standby knows of its primary: a receiver that was stopped, a cut connection, and a paused replay all look alike, as
 * positions that are not reached. Positions of another history cannot be compared, so timeline and system must be the same.
 * @param samples in the order of their times, the newest last
 */
export function findProof(samples: readonly Sample[], state: StandbyState): Finding {
  const newest = samples.at(-1);
  if (!state.isInRecovery)
    return { type: 'wrong', reason: 'the server is no standby: it was promoted, or is another server' };
  if (newest === undefined) return { type: 'behind' };
  if (state.system !== newest.system)
    return { type: 'wrong', reason: 'it is a standby of another installation of PostgreSQL' };
  if (state.timeline !== newest.timeline)
    return {
      type: 'wrong',
      reason: `its timeline is ${state.timeline}, the primary's is ${newest.timeline}: it follows another primary, or has had no checkpoint since the failover`,
    };
  const shown = samples.findLast(
    ({ position, timeline }) =>
      timeline === state.timeline && state.position !== null && position <= state.position,
  );
  return shown === undefined ? { type: 'behind' } : { type: 'shown', sample: shown };
}
