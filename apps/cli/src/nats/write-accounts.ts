// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { buildAccounts } from './build-accounts.ts';

const SERVICES = 'chainwatch';
const SEED_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.nk$/;

/** A project that was asked for is no UUID. */
class ProjectIdError extends Error {
  constructor(text: string) {
    super(`"${text}" is no project id: expected a UUID, as GET /v1/management/projects tells it.`);
  }
}

/**
 * Writes `accounts.conf` and the seeds (`<project>.nk`, `chainwatch.nk` for NATS_NKEY_SEED_FILE of the services) into the directory.
 * Seeds that are there stay, projects whose seed is there keep their account.
 * @returns the projects that have an account now
 * @throws ProjectIdError before anything is written
 */
export function writeAccounts(directory: string, projectIds: readonly string[]): string[] {
  const asked = projectIds.map((id) => id.toLowerCase());
  for (const id of asked) if (!SEED_FILE.test(`${id}.nk`)) throw new ProjectIdError(id);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const known = readdirSync(directory).flatMap((name) => SEED_FILE.exec(name)?.[1] ?? []);
  const all = [...new Set([...known, ...asked])].sort();
  const services = readOrMakeUser(join(directory, `${SERVICES}.nk`));
  const projects = all.map((projectId) => ({
    projectId,
    user: readOrMakeUser(join(directory, `${projectId}.nk`)),
  }));
  const path = join(directory, 'accounts.conf');
  // A server that reloads meanwhile never reads a half of it.
  writeFileSync(`${path}.new`, buildAccounts(services, projects));
  renameSync(`${path}.new`, path);
  return all;
}

/** The public key of the user whose seed stands in the file. */
function readOrMakeUser(path: string): string {
  if (existsSync(path)) return nkeys.fromSeed(Buffer.from(readFileSync(path, 'utf8').trim())).getPublicKey();
  const user = nkeys.createUser();
  writeFileSync(path, `${new TextDecoder().decode(user.getSeed())}\n`, { mode: 0o600, flag: 'wx' });
  return user.getPublicKey();
}
