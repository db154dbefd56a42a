// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { EVENT_SUBJECTS } from '@chainwatch/events';

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

interface SubscriberAccount {
  readonly projectId: string;
  /** Public key of its user (`U…`). */
  readonly user: string;
}

/** What an account may keep in the server. A project that fills its share loses nothing of others. */
const JETSTREAM_LIMITS = '{ max_memory: 0, max_file: 4G, max_streams: 4, max_consumers: 64 }';

/**
 * The `accounts` of a nats-server: what services publish stays in theirs, and each project's account gets the subjects of that
 * project alone. Accounts share nothing else, so that streams, consumers and messages of one are out of reach for all others.
 */
function buildAccounts(services: string, projects: readonly SubscriberAccount[]): string {
  return `# Written by \`chainwatch nats account\`. Include it in the server's configuration, then \`nats-server --signal reload\`.
accounts {
  CHAINWATCH {
    jetstream: enabled
    users: [ { nkey: ${services} } ]
    exports: [
${projects.flatMap(({ projectId }) => subjectsOf(projectId).map((subject) => `      { stream: "${subject}", accounts: [${nameOf(projectId)}] }`)).join('\n')}
    ]
  }
${projects.map(buildAccount).join('\n')}
}
`;
}

function buildAccount({ projectId, user }: SubscriberAccount): string {
  return `  ${nameOf(projectId)} {
    jetstream: ${JETSTREAM_LIMITS}
    users: [ { nkey: ${user} } ]
    imports: [
${subjectsOf(projectId)
  .map((subject) => `      { stream: { account: CHAINWATCH, subject: "${subject}" } }`)
  .join('\n')}
    ]
  }`;
}

/**
 * What is told to this project, whatever the chain: a wildcard for each family of events (`tx.*.*.<project>`), so that a new
 * type of a family needs no new file. Subjects without a project are internal, and in other families.
 */
export function subjectsOf(projectId: string): string[] {
  return [...new Set(Object.keys(EVENT_SUBJECTS).map((subject) => subject.split('.')[0]))].map(
    (family) => `${family}.*.*.${projectId}`,
  );
}

const nameOf = (projectId: string): string => `PROJECT_${projectId.replaceAll('-', '_')}`;
