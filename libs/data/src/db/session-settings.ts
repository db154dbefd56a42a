// SPDX-License-Identifier: Apache-2.0
import type pg from 'pg';

/**
 * Settings of every session of ours, so that a client that vanished (power loss, a cut cable, a stopped
 * process) blocks nobody for more than 10 s (architecture.md, invariant 2). They are set on the role, because
 * a pooler refuses settings at the start of a session, and hands sessions from one client to another.
 */
const SESSION_SETTINGS = {
  statement_timeout: '30s',
  // No transaction of ours waits for anything outside, so a client that is silent for this long inside one is gone.
  idle_in_transaction_session_timeout: '5s',
  // For a peer that takes no packet: the first probe after 4 s, then two more, 8 s in all.
  tcp_keepalives_idle: '4s',
  tcp_keepalives_interval: '2s',
  tcp_keepalives_count: '2',
  tcp_user_timeout: '8s',
  // A statement whose caller hung up is ended.
  client_connection_check_interval: '2s',
} as const;

/** The same probes in the other direction, from client to server. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 4_000 } as const;

export interface SettingsResult {
  /** Names of the settings that the role was given now; those that it already had keep their value. */
  readonly settings: readonly string[];
  /** Why the role could not be given them, and what to do. */
  readonly warning?: string;
}

/** Gives the current role its settings in the current database; sessions that begin from then on have them. Runs in a transaction. */
export async function setSessionSettings(client: pg.Client): Promise<SettingsResult> {
  const { rows } = await client.query<{ role: string; database: string; known: string[] }>(
    `SELECT current_user AS role, current_database() AS database, coalesce(
       (SELECT array_agg(split_part(entry, '=', 1)) FROM pg_db_role_setting, unnest(setconfig) AS entry
        WHERE setrole = current_user::regrole AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())), '{}') AS known`,
  );
  const { role, database, known } = rows[0]!;
  const missing = Object.entries(SESSION_SETTINGS).filter(([name]) => !known.includes(name));
  const owner = `${client.escapeIdentifier(role)} IN DATABASE ${client.escapeIdentifier(database)}`;
  const statements = missing.map(([name, value]) => `ALTER ROLE ${owner} SET ${name} = '${value}'`);
  await client.query('SAVEPOINT settings');
  try {
    for (const statement of statements) await client.query(statement);
    return { settings: missing.map(([name]) => name) };
  } catch (error) {
    await client.query('ROLLBACK TO settings');
    return {
      settings: [],
      warning: `The role ${role} could not be given its time-outs (${(error as Error).message}): have somebody who may alter it run ${statements.join('; ')};`,
    };
  }
}

/** What is wrong with the session's time-outs, in one sentence. They may also be set in the server's own configuration. */
export async function findSessionFault(client: pg.ClientBase): Promise<string | undefined> {
  const names = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const;
  const { rows } = await client.query<{ name: (typeof names)[number]; shown: string; role: string }>(
    `SELECT name, current_setting(name) AS shown, current_user AS role FROM pg_settings WHERE name = ANY($1) AND setting = '0' ORDER BY name`,
    [names],
  );
  if (rows.length === 0) return undefined;
  const expected = rows.map(({ name }) => `${name} = ${SESSION_SETTINGS[name]}`);
  return `expected ${expected.join(' and ')} in sessions of the role ${rows[0]!.role}, got none: run the migration as this role, or ALTER ROLE … SET`;
}
