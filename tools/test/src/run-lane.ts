// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { sumCounts, type NxTask } from './sum-counts.ts';

/** Targets of every project through Nx, and the sum of what they counted. */
const LANES: Readonly<Record<string, readonly string[]>> = {
  /** `npm test` */
  test: ['lint', 'typecheck', 'test', 'build', 'format', 'knip', 'depcruise'],
  /** `npm run e2e` */
  e2e: ['e2e'],
};
const targets = LANES[process.argv[2]!]!;
const stateDir = join(repoDir, '.nx/cache');
const countsDir = join(repoDir, '.chainwatch/counts');

const startedAt = Date.now();
// Neither is to be left of a run before: what Nx takes from its cache it puts there again.
await Promise.all([
  rm(join(stateDir, 'run.json'), { force: true }),
  rm(countsDir, { recursive: true, force: true }),
]);
const child = spawn(
  process.execPath,
  [join(repoDir, 'node_modules/nx/dist/bin/nx.js'), 'run-many', '-t', ...targets, '--parallel=3'],
  {
    cwd: repoDir,
    stdio: 'inherit',
    env: {
      ...process.env,
      NX_DAEMON: 'false',
      NX_ISOLATE_PLUGINS: 'false',
      NX_TUI: 'false',
      NX_CACHE_DIRECTORY: stateDir,
    },
  },
);
const [code] = (await once(child, 'exit')) as [number | null];
const { tasks } = await readFile(join(stateDir, 'run.json'), 'utf8').then(
  (text) => JSON.parse(text) as { tasks: NxTask[] },
  () => ({ tasks: [] }),
);
const { passed, failed, skipped, unstable, faults } = await sumCounts({
  code,
  tasks,
  targets,
  countsDir,
});
for (const fault of faults) console.log(`FAIL ${fault}`);
if (unstable.length > 0)
  console.log(`\n${unstable.length} failed beside other specs and passed alone:\n${unstable.join('\n')}`);
if (skipped.length > 0)
  console.log(`\n${skipped.length} spec files were not run, TEST_UNTIL was past:\n${skipped.join('\n')}`);
console.log(`\nTook ${Math.round((Date.now() - startedAt) / 1_000)} s`);
console.log(`${passed} passed, ${failed} failed`);
// Nothing was run, for another reason than the time.
process.exitCode = failed > 0 || passed + skipped.length === 0 ? 1 : 0;
