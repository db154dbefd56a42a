// SPDX-License-Identifier: Apache-2.0
import { startPostgresServer, type PostgresServerHandle } from './start-postgres-server.ts';
import { takeBaseBackup } from './take-base-backup.ts';

export interface StandbyOptions {
  /** How the primary knows it: for `synchronous_standby_names`. Default `standby`. */
  readonly name?: string;
  /** Where it reaches the primary, such as a proxy before it. Default the primary's port. */
  readonly port?: number;
  /** False skips the flushes to disk. Default true. */
  readonly isDurable?: boolean;
}

/** What a primary keeps for a standby that was away. */
export const PRIMARY_SETTINGS = ['wal_keep_size=1GB'];

/** A streaming standby of a running server, which should have PRIMARY_SETTINGS. */
export function startStandby(
  { url, port, dataDir }: Pick<PostgresServerHandle, 'url' | 'port' | 'dataDir'>,
  { name = 'standby', port: reachedAt = port, isDurable }: StandbyOptions = {},
): Promise<PostgresServerHandle> {
  const { password } = new URL(url);
  const files = {
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = 'host=127.0.0.1 port=${reachedAt} user=postgres password=${password} application_name=${name}'\n`,
  };
  return startPostgresServer({
    isDurable,
    settings: PRIMARY_SETTINGS,
    data: { password, write: (target) => takeBaseBackup({ url, dataDir }, target, files) },
  });
}
