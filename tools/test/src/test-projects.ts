// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { chooseDataDir, startPostgresServer } from '@chainwatch/testing';
import { bundleServices } from '../../stack/bundle.mjs';
import { installBrokers } from '../../stack/find-servers.mjs';
import { kindOf, listSpecs } from '../nx/plugin.mjs';
import { prepareServers } from '../prepare-servers.mjs';
import { runJest, wholeRun, type FileResult } from './run-jest.ts';

/**
 * Specs of some projects in one Jest: started by nx/test-projects.mjs, which sends the tasks and is sent what became of
 * each. Servers are prepared and PostgreSQL is started only where a project asks for them.
 */
interface TestTask {
  readonly id: string;
  readonly root: string;
  readonly kind: string;
}

/** What became of a task, as nx/test-projects.mjs reads it. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly output: string;
  readonly failures: readonly string[];
  readonly skipped: readonly string[];
  /** What failed beside other specs and passed alone. */
  readonly unstable: readonly string[];
}

/** Servers, and nodes of local chains: modules `start-<node>.ts` of tools/devnet. */
const SERVERS = /\bstart(Postgres|Nats|Redis|Anvil)|(tool-devnet|'\.)\/start-/;

/** Each of these specs starts a dozen processes: more at once than cores only makes each one late. */
const E2E_WORKERS = availableParallelism();
/** Files that are run again alone. */
const AGAIN_MAX = 20;
/** Seconds that they have beyond TEST_UNTIL. */
const AGAIN_S = 900;

const [tasks] = (await once(process, 'message')) as [readonly TestTask[]];
process.env.TEST_DATA_DIR = chooseDataDir();
try {
  // Each is waited for: what is still to be sent is lost with the connection.
  for (const outcome of await runTasks(tasks))
    await new Promise<void>((resolve, reject) =>
      process.send!(outcome, (error: Error | null) => (error === null ? resolve() : reject(error))),
    );
} finally {
  process.disconnect();
}

async function runTasks(asked: readonly TestTask[]): Promise<({ id: string } & Outcome)[]> {
  const filesOf = new Map(
    asked.map(({ id, root, kind }) => [
      id,
      listSpecs(repoDir, root)
        .filter((spec) => kindOf(spec) === kind)
        .map((spec) => join(repoDir, spec)),
    ]),
  );
  const needs = await findNeeds(asked);
  const env: Record<string, string> = needs.servers ? { PATH: await prepareServers() } : {};
  if (asked.some(({ root }) => root === 'apps/notifier')) await installBrokers(process.env);
  // Several specs start the services at the same time: found made, they are not made three times over. What fails here fails there, too.
  const isE2e = asked.some(({ kind }) => kind === 'e2e');
  if (isE2e) await bundleServices().catch(() => undefined);
  const postgres = needs.postgres ? await startPostgresServer({ isDurable: false }) : undefined;
  try {
    const files = [...filesOf.values()].flat();
    if (postgres !== undefined) env.TEST_DATABASE_URL = postgres.url;
    const results = await runJest(wholeRun(files, isE2e ? E2E_WORKERS : undefined), env);
    const alone = await runAlone(
      results.filter(({ path }) => files.includes(path)),
      env,
    );
    return asked.map(({ id }) => ({ id, ...sum(filesOf.get(id)!, results, alone) }));
  } finally {
    await postgres?.stop();
  }
}

/**
 * With TEST_AGAIN a file that failed while others kept the cores busy is run once more, alone, and counts as it ends then:
 * what one slow moment decides is told apart from what is broken. Many that fail are broken.
 */
async function runAlone(
  results: readonly FileResult[],
  env: Readonly<Record<string, string>>,
): Promise<readonly FileResult[]> {
  const failed = results.filter((result) => result.failed > 0).map(({ path }) => path);
  if (!process.env.TEST_AGAIN || failed.length === 0 || failed.length > AGAIN_MAX) return [];
  const until = process.env.TEST_UNTIL && { TEST_UNTIL: String(Number(process.env.TEST_UNTIL) + AGAIN_S) };
  const alone = await runJest(wholeRun(failed, 1), { ...env, ...until });
  return alone.filter(({ isSkipped }) => !isSkipped);
}

/** A file of which nothing was heard has failed, as has a task without files. */
function sum(
  files: readonly string[],
  results: readonly FileResult[],
  alone: readonly FileResult[],
): Outcome {
  if (files.length === 0)
    return { passed: 0, failed: 1, output: 'There are no specs.\n', failures: [], skipped: [], unstable: [] };
  const by = (some: readonly FileResult[], path: string) => some.find((result) => result.path === path);
  const found = files.map((path) => by(alone, path) ?? by(results, path) ?? notRun(path));
  return {
    unstable: alone
      .filter(({ path, failed }) => failed === 0 && files.includes(path))
      .flatMap(({ path }) => by(results, path)!.failures),
    passed: found.reduce((count, { passed }) => count + passed, 0),
    failed: found.reduce((count, { failed }) => count + failed, 0),
    output: found.map(({ message }) => message).join(''),
    failures: found.flatMap(({ failures }) => failures),
    skipped: found.filter(({ isSkipped }) => isSkipped).map(({ path }) => relative(repoDir, path)),
  };
}

function notRun(path: string): FileResult {
  const message = `${path} was not run\n`;
  return { path, passed: 0, failed: 1, isSkipped: false, message, failures: [message] };
}

async function findNeeds(
  asked: readonly TestTask[],
): Promise<{ readonly servers: boolean; readonly postgres: boolean }> {
  let servers = false;
  let postgres = false;
  for (const { root } of asked) {
    for (const path of await readdir(join(repoDir, root), { recursive: true })) {
      if (!path.endsWith('.ts') || /(^|\/)node_modules\//.test(path)) continue;
      const text = await readFile(join(repoDir, root, path), 'utf8');
      servers ||= SERVERS.test(text);
      postgres ||= text.includes('startPostgres');
    }
  }
  return { servers, postgres: postgres && !process.env.TEST_DATABASE_URL };
}
