// SPDX-License-Identifier: Apache-2.0
import { findExecutable } from './find-executable.mjs';
import { runCommand } from './run-command.mjs';
import { SetupError } from './setup-error.mjs';

export interface PostgresAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root: then it runs as the system's user `postgres`, which is made when it is missing.
 * @returns undefined when this process is an ordinary user, whose own account serves
 * @throws SetupError
 */
export async function findPostgresAccount(): Promise<PostgresAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const account = (await readAccount('postgres')) ?? (await createAccount()) ?? (await readAccount('nobody'));
  if (!account)
    throw new SetupError(
      'PostgreSQL does not run as root and no other user could be made: run the command as an ordinary user, or set DATABASE_URL.',
    );
  return account;
}

async function readAccount(name: string): Promise<PostgresAccount | undefined> {
  const [uid, gid] = await Promise.all([runCommand('id', ['-u', name]), runCommand('id', ['-g', name])]);
  if (uid.code !== 0 || gid.code !== 0) return undefined;
  return { uid: Number(uid.output), gid: Number(gid.output) };
}

async function createAccount(): Promise<PostgresAccount | undefined> {
  if (findExecutable('useradd', process.env)) {
    await runCommand('groupadd', ['-f', 'postgres']);
    await runCommand('useradd', ['-r', '-M', '-g', 'postgres', 'postgres']);
  } else {
    await runCommand('adduser', ['-S', '-D', '-H', 'postgres']);
  }
  return readAccount('postgres');
}
