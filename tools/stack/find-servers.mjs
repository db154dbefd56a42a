// SPDX-License-Identifier: Apache-2.0
import { findExecutable } from '../../libs/testing/src/host/find-executable.mjs';
import { runCommand } from '../../libs/testing/src/host/run-command.mjs';
import { SetupError } from '../../libs/testing/src/host/setup-error.mjs';

/** Package names are the same everywhere, but not every system has both. */
const MANAGERS = [
  {
    command: 'apt-get',
    refresh: ['update', '-qq'],
    install: ['install', '-y', '-qq', '--no-install-recommends'],
    needsRoot: true,
  },
  { command: 'apk', refresh: ['update'], install: ['add'], needsRoot: true },
  { command: 'dnf', install: ['install', '-y', '-q'], needsRoot: true },
  { command: 'brew', install: ['install'], needsRoot: false },
];

const SERVERS = [
  {
    key: 'natsServer',
    binary: 'nats-server',
    title: 'NATS',
    url: 'NATS_URL',
    packages: { 'apt-get': 'nats-server', apk: 'nats-server', dnf: 'nats-server', brew: 'nats-server' },
  },
  {
    key: 'redisServer',
    binary: 'redis-server',
    title: 'Redis',
    url: 'REDIS_URL',
    packages: { 'apt-get': 'redis-server', apk: 'redis', dnf: 'redis', brew: 'redis' },
  },
];

/**
 * Finds nats-server and redis-server, installs what is missing with the system's package manager.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ natsServer: string | undefined, redisServer: string | undefined }>}
 * @throws {SetupError}
 */
export async function findServers(env) {
  const wanted = SERVERS.filter(({ url }) => !env[url]);
  const missing = wanted.filter(({ binary }) => !findExecutable(binary, env));
  if (missing.length > 0) await installMissing(missing, env);
  /** @param {string} key */
  const pathOf = (key) => {
    const server = wanted.find((each) => each.key === key);
    return server && findExecutable(server.binary, env);
  };
  return { natsServer: pathOf('natsServer'), redisServer: pathOf('redisServer') };
}

const BROWSER = {
  binary: 'chromium',
  packages: { 'apt-get': 'chromium', apk: 'chromium', dnf: 'chromium', brew: 'chromium' },
};

/**
 * Finds Chromium for the specs of the dashboard, installs it with the system's package manager where it is missing.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string | undefined>} undefined where it cannot be had; one sentence is written then
 */
export async function findBrowser(env = process.env) {
  try {
    if (!findExecutable(BROWSER.binary, env)) await installMissing([BROWSER], env);
  } catch {
    process.stdout.write('skipped: chromium was not found; install it with your package manager\n');
  }
  return findExecutable(BROWSER.binary, env);
}

const BROKERS = ['rabbitmq-server', 'kcat'].map((binary) => ({
  binary,
  packages: { 'apt-get': binary, apk: binary, dnf: binary, brew: binary.replace('-server', '') },
}));

/**
 * Installs the brokers that specs of channels write to, where they are missing and can be had. Specs of what is missing
 * skip themselves and say so.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export async function installBrokers(env) {
  for (const broker of BROKERS)
    if (!findExecutable(broker.binary, env)) await installMissing([broker], env).catch(() => undefined);
}

/**
 * @typedef {object} Program
 * @property {string} binary
 * @property {string} [url] the variable that names a running one
 * @property {Readonly<Record<string, string>>} packages by package manager
 */

/** @param {readonly Program[]} missing @param {NodeJS.ProcessEnv} env */
async function installMissing(missing, env) {
  const manager = MANAGERS.find(({ command }) => findExecutable(command, env));
  const sudo = manager?.needsRoot ? await findSudo(env) : [];
  if (!manager || !sudo) throw missingError(missing);
  const packages = missing.map((program) => program.packages[manager.command] ?? program.binary);
  process.stdout.write(`Installing ${packages.join(' and ')} with ${manager.command}\n`);
  const run = (/** @type {string[]} */ args) => {
    const [command = '', ...rest] = [...sudo, manager.command, ...args];
    return runCommand(command, rest, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  // The lists of a fresh container image are empty or old, so a first failure is answered with a refresh.
  let result = await run([...manager.install, ...packages]);
  if (result.code !== 0 && manager.refresh) {
    await run(manager.refresh);
    result = await run([...manager.install, ...packages]);
  }
  const stillMissing = missing.filter(({ binary }) => !findExecutable(binary, env));
  if (stillMissing.length > 0) throw missingError(stillMissing, result.output);
}

/** @param {NodeJS.ProcessEnv} env @returns {Promise<string[] | undefined>} the prefix that gives root's rights, undefined when there is none */
async function findSudo(env) {
  if (process.getuid?.() === 0) return [];
  if (!findExecutable('sudo', env)) return undefined;
  const { code } = await runCommand('sudo', ['-n', 'true']);
  return code === 0 ? ['sudo', '-n'] : undefined;
}

/** @param {readonly Program[]} missing @param {string} [detail] */
function missingError(missing, detail) {
  const binaries = missing.map(({ binary }) => binary).join(' and ');
  const urls = missing.flatMap(({ url }) => url ?? []).join(' and ');
  return new SetupError(
    `${binaries} not found: install ${missing.length > 1 ? 'them' : 'it'} with your package manager, or set ${urls} to use running servers.`,
    detail,
  );
}
